// From one core to a cluster: docs/cluster.md. The board and the serial search are those of cores.cpp.
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <finegrain/mpi.hpp>

#include "expect.hpp"

namespace {

struct board {
  unsigned columns = 0;
  unsigned left = 0;
  unsigned right = 0;
  int rows = 0;  // that are filled

  [[nodiscard]] bool is_free(unsigned square) const {
    return ((columns | left | right) & square) == 0;
  }
  [[nodiscard]] board with(unsigned square) const {
    return {columns | square, (left | square) << 1U, (right | square) >> 1U, rows + 1};
  }
};

constexpr int kSize = 10;
constexpr unsigned kAll = (1U << kSize) - 1;

long placements(const board& above) {
  if (above.columns == kAll) {
    return 1;
  }
  long found = 0;
  for (unsigned square = 1; square <= kAll; square <<= 1U) {
    found += above.is_free(square) ? placements(above.with(square)) : 0;
  }
  return found;
}

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
      if (above.rows == 4) {
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
