// From one core to a cluster: docs/cluster.md.
#include <mpi.h>

#include <bit>
#include <cstddef>
#include <cstdio>
#include <finegrain/mpi.hpp>

#include "expect.hpp"
#include "queens.hpp"

namespace {

class boards : public fg::mpi::stack_bag<board, long> {
 public:
  explicit boards(bool has_the_first) {
    if (has_the_first) {
      items.push_back({});
    }
  }

  std::size_t process(std::size_t most) {
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      const board above = items.back();
      items.pop_back();
      if (std::popcount(above.columns) == 4) {
        sum += placements(above);
        continue;
      }
      for (unsigned square = 1; square <= kAll; square <<= 1U) {
        if (above.is_free(square)) {
          items.push_back(above.with(square));
        }
      }
    }
    return done;
  }
};

}  // namespace

int main(int count, char** arguments) {
  int provided = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    fg::pool pool{{.workers = fg::mpi::cpus_of_rank(MPI_COMM_WORLD)}};
    const auto found = fg::mpi::run(MPI_COMM_WORLD, pool, boards{rank == 0});
    expect("all ranks", found.result == 724);
    if (rank == 0) {
      std::printf("%ld placements\n", found.result);
    }
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
