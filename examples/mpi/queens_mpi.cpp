// mpirun --bind-to none -n RANKS queens_mpi [size=13] [workers=N] [seed=1] [every=MS file=PATH]: counts
// the placements of queens that do not attack each other, on all ranks. With a file it writes
// checkpoints, and resumes from one that is there.
#include <bit>
#include <cstdint>

#include "mpi/support.hpp"

namespace {

// The columns and diagonals that are taken in the next row, by the queens above it.
struct board {
  std::uint32_t columns;
  std::uint32_t left;
  std::uint32_t right;
};

class placements : public fg::mpi::stack_bag<board, std::uint64_t> {
 public:
  placements(int size, bool has_root) : all_{(1U << static_cast<unsigned>(size)) - 1} {
    if (has_root) {
      items.push_back({0, 0, 0});
    }
  }

  std::size_t process(std::size_t most) {
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      const board top = items.back();
      items.pop_back();
      if (std::popcount(all_ & ~top.columns) <= kRowsAtOnce) {
        sum += count(top);
      } else {
        for_each_square(top, [this](const board& next) { items.push_back(next); });
      }
    }
    return done;
  }

 private:
  static constexpr int kRowsAtOnce = 7;  // a few microseconds

  template <class F>
  void for_each_square(const board& top, F f) const {
    std::uint32_t free = all_ & ~(top.columns | top.left | top.right);
    for (; free != 0; free &= free - 1) {
      const std::uint32_t square = free & (~free + 1);
      f(board{top.columns | square, (top.left | square) << 1U, (top.right | square) >> 1U});
    }
  }
  [[nodiscard]] std::uint64_t count(const board& top) const {
    if (top.columns == all_) {
      return 1;
    }
    std::uint64_t found = 0;
    for_each_square(top, [&](const board& next) { found += count(next); });
    return found;
  }

  std::uint32_t all_;
};

// By size, as published (OEIS A000170).
constexpr std::uint64_t kKnown[] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                                    352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};

}  // namespace

int main(int count, char** arguments) {
  return examples::with_mpi(count, arguments, [](const auto& given, bool is_first) {
    const long size = std::clamp(examples::argument(given, "size", 13L), 1L, 16L);
    fg::pool pool{examples::pool_of(given)};
    const fg::mpi::run_options options =
        examples::options_of(given, "queens " + std::to_string(size));
    const auto found =
        fg::mpi::run(MPI_COMM_WORLD, pool, placements{static_cast<int>(size), is_first}, options);
    if (is_first) {
      std::printf("%llu placements\n", static_cast<unsigned long long>(found.result));
      examples::print_counts(found.by_rank);
    }
    return found.result == kKnown[size];
  });
}
