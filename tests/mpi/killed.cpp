// mpirun -n RANKS mpi_killed SEED RUN FOLDER: a random search that writes a checkpoint whenever it can,
// into an own folder that is there. A rank of it kills itself in the midst, after a number of steps that
// doubles with each run; one of the later ones so comes to the end, and compares with a serial search.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "finegrain/mpi.hpp"
#include "mpi/search_bags.hpp"

int main(int count, char** arguments) {
  int level = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  const unsigned long run = std::strtoul(arguments[2], nullptr, 10);
  const std::string file = std::string{arguments[3]} + "/killed";
  const bool was_there = std::filesystem::exists(file);

  const std::uint64_t some = std::uint64_t{4} << run;
  std::atomic<std::uint64_t> steps_left = some + searches::mixed(seed + run) % some;
  searches::on_step = [&] {
    // One that dies before the first checkpoint is no use.
    if (steps_left.fetch_sub(1) <= 1 && std::filesystem::exists(file)) {
      std::raise(SIGKILL);
    }
  };
  fg::pool pool{{.workers = 1 + seed % 2, .placement = fg::worker_placement::untied}};
  const fg::mpi::run_options options{
      .checkpoint = {.path = file, .every = std::chrono::milliseconds{0}, .problem = "searched"},
      .seed = seed};
  const auto done =
      fg::mpi::run(MPI_COMM_WORLD, pool, searches::in_a_list{seed, rank == 0}, options);
  std::uint64_t items = 0;
  for (const fg::mpi::rank_counts& each : done.by_rank) {
    items += each.items;
  }
  const searches::found right = searches::serial(seed);
  const bool is_right = done.has_finished && done.result == right &&
                        (was_there ? items < right.nodes : items == right.nodes);
  if (rank == 0) {
    std::printf("%llu of %llu nodes in this run: %s\n", static_cast<unsigned long long>(items),
                static_cast<unsigned long long>(right.nodes), is_right ? "right" : "wrong");
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
