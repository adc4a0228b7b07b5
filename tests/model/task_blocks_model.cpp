// Blocks that are returned to the worker that allocated them (pool/task_blocks.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/pool/task_blocks.hpp"

namespace {

using fg::detail::task_blocks;

int* take(task_blocks& blocks) { return static_cast<int*>(blocks.take()); }

// All that exist; returns two of them, for others to use.
std::array<int*, 2> take_all(task_blocks& blocks) {
  std::array<int*, 2> last{};
  for (std::size_t i = 0; i < task_blocks::kMostBlocks; ++i) {
    last[i % 2] = take(blocks);
  }
  model::require(take(blocks) == nullptr, "their number is bounded");
  return last;
}

// Returned by two at once: each block has one user at a time.
void two_batches() {
  task_blocks blocks;
  const std::array<int*, 2> used = take_all(blocks);
  const auto use_and_return = [&](int* block) {
    *block = 1;
    fg::detail::returned_blocks returned;
    returned.add(blocks, block);
    returned.flush();
  };
  model::run_threads(
      [&] {
        int* const first = model::await([&] { return take(blocks); });
        *first = 2;
        int* const second = model::await([&] { return take(blocks); });
        *second = 3;
        model::require(first != second && take(blocks) == nullptr, "no block is there twice");
      },
      [&] { use_and_return(used[0]); }, [&] { use_and_return(used[1]); });
}

void one_batch() {
  task_blocks blocks;
  const std::array<int*, 2> used = take_all(blocks);
  model::run_threads(
      [&] {
        for (int i = 0; i < 2; ++i) {
          *model::await([&] { return take(blocks); }) = 2;
        }
        model::require(take(blocks) == nullptr, "no block is there twice");
      },
      [&] {
        fg::detail::returned_blocks returned;
        for (int* const block : used) {
          *block = 1;
          returned.add(blocks, block);
        }
        returned.flush();
      });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol("blocks that come back (pool)",
                               {{"2 batches, 3 threads", "one user at a time", two_batches},
                                {"2 in a batch", "one user at a time", one_batch}},
                               argc, argv);
}
