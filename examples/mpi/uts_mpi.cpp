// mpirun --bind-to none -n RANKS uts_mpi [TREE [PAIRS [WORKERS]]]: Unbalanced Tree Search across
// processes. The size of the subtree below a node is unknown, so ranks without nodes get some from
// others. Prints the counts, and the speed-up over one thread that searches alone.
#include <chrono>
#include <thread>

#include "kernels/uts/sample_trees.hpp"
#include "kernels/uts/search.hpp"
#include "mpi/support.hpp"
#include "mpi/uts_search.hpp"
#include "support/gain.hpp"

namespace {

namespace trees = fg::bench::uts;

// The other ranks sleep meanwhile: one thread has the machine to itself.
template <class Work>
void on_first_rank(bool is_first, Work work) {
  if (is_first) {
    work();
  }
  MPI_Request all_are_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_are_here);
  for (int done = 0; done == 0; MPI_Test(&all_are_here, &done, MPI_STATUS_IGNORE)) {
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
}

}  // namespace

int main(int count, char** arguments) {
  return examples::with_mpi(count, arguments, [](const auto& given, bool is_first) {
    const auto& sample = trees::find_sample_tree(given.empty() ? "T1" : given[0]);
    const int pairs = given.size() > 1 ? std::stoi(given[1]) : 10;
    const std::size_t workers =
        given.size() > 2 ? std::stoul(given[2]) : fg::mpi::cpus_of_rank(MPI_COMM_WORLD);
    fg::pool pool{{.workers = workers, .placement = fg::worker_placement::untied}};
    bool is_right = true;
    const auto alone = [&] {
      on_first_rank(is_first, [&] {
        is_right &= trees::search(sample.tree, trees::root(sample.tree)) == sample.published;
      });
    };
    fg::mpi::outcome<trees::count> last;
    const auto together = [&] {
      last = fg::mpi::run(MPI_COMM_WORLD, pool, examples::uts_search{sample.tree, is_first});
      is_right &= last.result == sample.published;
    };
    examples::gain gain = examples::measure_gain(pairs, alone, together);
    if (is_first) {
      std::printf("%llu nodes; ranks: %zu, workers of each: %zu\n",
                  static_cast<unsigned long long>(last.result.nodes), last.by_rank.size(),
                  pool.size());
      examples::print_counts(last.by_rank);
      gain.print("all ranks over one thread");
    }
    return is_right;
  });
}
