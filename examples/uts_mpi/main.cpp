// mpirun --bind-to none -n RANKS uts_mpi [TREE [PAIRS]]: Unbalanced Tree Search across processes.
// The size of the subtree below a node is unknown, so ranks without work request some from others
// by MPI, and each rank expands its own nodes on a pool. Prints the count, and the speed-up over
// one thread that searches alone.
//
// One thread per rank calls MPI, the one that calls pool.run: MPI_THREAD_FUNNELED. A rank that
// crashes ends the run: mpirun reports which and why, and ends the others.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "finegrain/finegrain.hpp"
#include "finegrain/host/affinity.hpp"
#include "kernels/uts/sample_trees.hpp"
#include "kernels/uts/search.hpp"
#include "support/gain.hpp"
#include "uts_mpi/rank_search.hpp"
#include "uts_mpi/ranks.hpp"

namespace {

namespace trees = fg::bench::uts;

// One line, and the end of all ranks, if MPI reports an error.
// NOLINTNEXTLINE(readability-non-const-parameter): MPI's type of a handler
void end_all(MPI_Comm* all, int* error, ...) {
  char what[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  int rank = -1;
  MPI_Error_string(*error, what, &length);
  MPI_Comm_rank(*all, &rank);
  std::fprintf(stderr, "uts_mpi: rank %d: %s\n", rank, what);
  MPI_Abort(*all, 1);
}

// The CPUs of this rank: those of the machine, shared among its ranks.
std::size_t workers_of_a_rank() {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int ranks_here = 1;
  MPI_Comm_size(here, &ranks_here);
  MPI_Comm_free(&here);
  return std::max<std::size_t>(fg::usable_cpus().size() / static_cast<std::size_t>(ranks_here), 1);
}

trees::count sum_of_all(const trees::count& own) {
  trees::count all;
  MPI_Allreduce(&own.nodes, &all.nodes, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&own.leaves, &all.leaves, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&own.depth, &all.depth, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

// True if every search has found the counts that the benchmark's authors published.
bool measure(const trees::sample_tree& sample, int pairs) {
  const uts::ranks all{MPI_COMM_WORLD};
  fg::pool pool{{.workers = workers_of_a_rank(), .placement = fg::worker_placement::untied}};
  const bool tells = all.own() == 0;
  bool right = true;

  // The other ranks sleep: the single thread has the machine to itself.
  const auto alone = [&] {
    if (tells) {
      right &= trees::search(sample.tree, trees::root(sample.tree)) == sample.published;
    }
    all.meet([&] {
      if (!tells) {
        std::this_thread::sleep_for(std::chrono::microseconds{100});
      }
    });
  };
  trees::count found;
  const auto together = [&] {
    uts::rank_search own{sample.tree, all, pool};
    found = sum_of_all(own.run());
    right &= found == sample.published;
  };

  examples::gain measured = examples::measure_gain(pairs, alone, together);
  if (tells) {
    std::printf("%llu nodes, %llu leaves, depth %u; ranks: %d, workers of each: %zu\n",
                static_cast<unsigned long long>(found.nodes),
                static_cast<unsigned long long>(found.leaves), found.depth, all.count(),
                pool.size());
    measured.print("all ranks over one thread");
    if (!right) {
      std::printf("wrong: the tree has %llu nodes\n",
                  static_cast<unsigned long long>(sample.published.nodes));
    }
  }
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  int provided = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(end_all, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  bool right = false;
  try {
    const auto& sample = trees::find_sample_tree(count > 1 ? arguments[1] : "T1");
    right = measure(sample, count > 2 ? std::max(std::atoi(arguments[2]), 1) : 10);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "uts_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
