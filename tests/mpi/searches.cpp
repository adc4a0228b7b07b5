// mpirun -n RANKS mpi_searches FIRST LAST FOLDER: random searches with these seeds on all ranks, each
// compared with a serial one: bags of two kinds, a shared bound, one or two workers a rank; searches that
// are stopped and resumed from their checkpoints. Checkpoints that must be refused. The folder is
// emptied.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "finegrain/mpi.hpp"
#include "mpi/search_bags.hpp"

namespace {

int rank = 0;
int failures = 0;

void expect(bool is_so, const char* what, std::uint64_t seed) {
  if (!is_so) {
    std::fprintf(stderr, "rank %d, seed %llu: %s\n", rank, static_cast<unsigned long long>(seed),
                 what);
    ++failures;
  }
}

std::uint64_t steals_of(const fg::mpi::outcome<searches::found>& of) {
  std::uint64_t steals = 0;
  for (const fg::mpi::rank_counts& each : of.by_rank) {
    steals += each.steals;
  }
  return steals;
}

// Returns how many messages carried work.
std::uint64_t search_all(std::uint64_t seed, fg::pool& pool) {
  const searches::found right = searches::serial(seed);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool has_root = rank == static_cast<int>(seed % 2) % ranks;
  const fg::mpi::run_options options{.seed = seed};

  const auto stack =
      fg::mpi::run(MPI_COMM_WORLD, pool, searches::on_a_stack{seed, has_root}, options);
  expect(stack.result == right && stack.has_finished, "a stack's nodes are lost or twice", seed);

  const auto list =
      fg::mpi::run(MPI_COMM_WORLD, pool, searches::in_a_list{seed, has_root}, options);
  expect(list.result == right && list.has_finished, "a list's nodes are lost or twice", seed);

  fg::mpi::bound best;
  const fg::mpi::run_options with_bound{.shared = &best, .seed = seed};
  const auto bounded =
      fg::mpi::run(MPI_COMM_WORLD, pool, searches::greatest{seed, best, has_root}, with_bound);
  expect(bounded.result.greatest == right.greatest >> 1U, "it is not the greatest", seed);
  expect(best.value() <= static_cast<std::int64_t>(right.greatest >> 1U), "the bound is too high",
         seed);
  // Whoever finds it has told its lifelines before it hears of the end.
  expect(ranks > 2 || best.value() == static_cast<std::int64_t>(right.greatest >> 1U),
         "a rank has not heard of the bound", seed);
  return steals_of(stack) + steals_of(list);
}

// Some rank asks for a stop after `seed` calls of its progress; until all is done.
void search_in_steps(std::uint64_t seed, fg::pool& pool, const std::string& folder) {
  const searches::found right = searches::serial(seed);
  fg::mpi::outcome<searches::found> last;
  int runs = 0;
  for (; !last.has_finished; ++runs) {
    fg::stop_source stop;
    std::uint64_t reports = 0;
    const fg::mpi::run_options options{.report =
                                           [&](const fg::mpi::progress& seen) {
                                             expect(seen.items <= right.nodes,
                                                    "more nodes than there are are done", seed);
                                             if (++reports > seed % 4 && runs < 5) {
                                               stop.request_stop();
                                             }
                                           },
                                       .report_every = std::chrono::milliseconds{0},
                                       .checkpoint = {.path = folder + "/steps",
                                                      .every = std::chrono::milliseconds{seed % 3},
                                                      .problem = std::to_string(seed)},
                                       .stop = stop.get_token(),
                                       .seed = seed};
    last = fg::mpi::run(MPI_COMM_WORLD, pool, searches::on_a_stack{seed, rank == 0}, options);
    expect(last.result.nodes <= right.nodes, "nodes are twice", seed);
  }
  expect(last.result == right, "nodes are lost or twice after stops", seed);
  expect(!std::filesystem::exists(folder + "/steps"), "the checkpoint of a finished run is left",
         seed);
}

// Work that never ends, until the last rank asks for a stop.
void stop_from_last_rank(fg::pool& pool, int ranks) {
  fg::stop_source stop;
  if (rank == ranks - 1) {
    stop.request_stop();
  }
  const fg::mpi::run_options options{.stop = stop.get_token()};
  const auto stopped = fg::mpi::run(MPI_COMM_WORLD, pool, searches::endless{}, options);
  expect(!stopped.has_finished, "what never ends has ended", 0);
}

// What the error says, if there is one.
std::string error_of_run(const std::string& file, const std::string& problem, fg::pool& pool) {
  try {
    const fg::mpi::run_options options{.checkpoint = {.path = file, .problem = problem}};
    fg::mpi::run(MPI_COMM_WORLD, pool, searches::on_a_stack{1, rank == 0}, options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

void refuse(fg::pool& pool, const std::string& folder) {
  const std::string file = folder + "/refused";
  fg::stop_source stop;
  stop.request_stop();
  const fg::mpi::run_options options{.checkpoint = {.path = file, .problem = "one"},
                                     .stop = stop.get_token()};
  const auto stopped =
      fg::mpi::run(MPI_COMM_WORLD, pool, searches::on_a_stack{1, rank == 0}, options);
  expect(!stopped.has_finished, "it was not stopped", 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto says = [](const std::string& error, const char* what) {
    return error.find(rank == 0 ? what : "another rank could not") != std::string::npos;
  };
  expect(says(error_of_run(file, "other", pool), "is a checkpoint of 'one', not of 'other'"),
         "another problem's checkpoint is taken", 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::fstream part{file + ".1.0", std::ios::in | std::ios::out | std::ios::binary};
    part.seekp(-1, std::ios::end);
    part.put('\x7f');
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect(says(error_of_run(file, "one", pool), "missing, damaged, or of another type"),
         "a damaged checkpoint is taken", 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::filesystem::remove(file + ".1.0");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect(says(error_of_run(file, "one", pool), "missing, damaged, or of another type"),
         "a checkpoint without a part is taken", 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::ofstream{file} << "something else\n";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect(says(error_of_run(file, "one", pool), "is no checkpoint"), "any file is a checkpoint", 0);
}

}  // namespace

int main(int count, char** arguments) {
  int level = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    std::filesystem::remove_all(arguments[3]);
    std::filesystem::create_directories(arguments[3]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t last = std::strtoull(arguments[2], nullptr, 10);
  std::uint64_t steals = 0;
  for (std::uint64_t seed = std::strtoull(arguments[1], nullptr, 10); seed <= last; ++seed) {
    fg::pool pool{{.workers = 1 + seed % 3, .placement = fg::worker_placement::untied}};
    steals += search_all(seed, pool);
    search_in_steps(seed, pool, arguments[3]);
    if (seed == last) {
      stop_from_last_rank(pool, ranks);
      refuse(pool, arguments[3]);
    }
  }
  expect((steals != 0) == (ranks > 1), "work has not travelled", last);
  if (rank == 0) {
    std::printf("%llu messages with work\n", static_cast<unsigned long long>(steals));
  }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
