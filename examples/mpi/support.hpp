// What the examples over MPI share: MPI's life, and the counts of a run.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <finegrain/mpi.hpp>
#include <string>
#include <vector>

namespace examples {

/// The value of `NAME=value` among the arguments, or `otherwise`.
inline std::string argument(const std::vector<std::string>& all, const std::string& name,
                            const std::string& otherwise) {
  for (const std::string& each : all) {
    if (each.starts_with(name + '=')) {
      return each.substr(name.size() + 1);
    }
  }
  return otherwise;
}
inline long argument(const std::vector<std::string>& all, const std::string& name, long otherwise) {
  return std::stol(argument(all, name, std::to_string(otherwise)));
}

/// A pool of `workers=N`; without it, this rank's share of the machine.
inline fg::pool_options pool_of(const std::vector<std::string>& given) {
  const auto here = static_cast<long>(fg::mpi::cpus_of_rank(MPI_COMM_WORLD));
  return {.workers = static_cast<std::size_t>(argument(given, "workers", here)),
          .placement = fg::worker_placement::untied};
}

/// `seed=N`, and checkpoints in `file=PATH` every `every=MS`.
inline fg::mpi::run_options options_of(const std::vector<std::string>& given,
                                       const std::string& problem) {
  const std::chrono::milliseconds every{argument(given, "every", 600'000L)};
  return {.checkpoint = {argument(given, "file", ""), every, problem},
          .seed = static_cast<std::uint64_t>(argument(given, "seed", 1L))};
}

/// Runs `body(arguments, is_first_rank)` within MPI; it returns whether all is right. An exception ends
/// all ranks with one line.
template <class Body>
int with_mpi(int count, char** arguments, Body&& body) {
  int provided = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool is_right = false;
  try {
    is_right = body(std::vector<std::string>(arguments + 1, arguments + count), rank == 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: rank %d: %s\n", arguments[0], rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}

/// What the ranks have done, a line each, and on average.
inline void print_counts(const std::vector<fg::mpi::rank_counts>& by_rank) {
  fg::mpi::rank_counts all;
  for (std::size_t rank = 0; rank != by_rank.size(); ++rank) {
    const fg::mpi::rank_counts& each = by_rank[rank];
    std::printf(
        "rank %zu: %llu items, %llu steals, %llu messages, %llu bytes, idle %.1f %%\n", rank,
        static_cast<unsigned long long>(each.items), static_cast<unsigned long long>(each.steals),
        static_cast<unsigned long long>(each.messages), static_cast<unsigned long long>(each.bytes),
        100 * each.idle_seconds / std::max(each.seconds, 1e-9));
    all.steals += each.steals;
    all.messages += each.messages;
    all.bytes += each.bytes;
    all.idle_seconds += each.idle_seconds;
    all.seconds += each.seconds;
  }
  const auto per = [](std::uint64_t what, std::uint64_t of) {
    return static_cast<double>(what) / static_cast<double>(std::max<std::uint64_t>(of, 1));
  };
  std::printf("%.1f steals a rank; a steal: %.1f messages, %.0f bytes; idle %.1f %%\n",
              per(all.steals, by_rank.size()), per(all.messages, all.steals),
              per(all.bytes, all.steals), 100 * all.idle_seconds / std::max(all.seconds, 1e-9));
}

}  // namespace examples
