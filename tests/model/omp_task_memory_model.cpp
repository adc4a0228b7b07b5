// Blocks that are returned to the thread that allocated them (omp/task_memory.hpp), and tasks that
// all threads may take (omp/set_aside.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "checker/protocol.hpp"
#include "omp/below.hpp"
#include "set_aside.hpp"
#include "task_memory.hpp"

namespace {

using fg::omp::returned_tasks;
using fg::omp::task;
using fg::omp::task_memory;

constexpr std::uint8_t kSmall = 0;

int* take(task_memory& memory, std::uint8_t size_class = kSmall) {
  return static_cast<int*>(memory.take(size_class, sizeof(task)));
}

// The owner reuses a block while others return theirs: each is written by one thread at a time.
void comes_back() {
  model::omp::forget_chunks();
  task_memory memory;
  int* const blocks[2]{take(memory), take(memory)};
  const auto use_and_return = [&](int which) {
    *blocks[which] = which;
    returned_tasks returned;
    returned.add(memory, blocks[which], kSmall);
    returned.flush();
  };
  model::run_threads(
      [&] {
        model::await([&] {
          memory.collect();
          return memory.pending() != 2;
        });
        *take(memory) = 3;
        model::await([&] {
          memory.collect();
          return memory.pending() == 1;
        });
        *take(memory) = 4;
      },
      [&] { use_and_return(0); }, [&] { use_and_return(1); });
  model::omp::free_chunks();
}

// Two in one batch.
void batch() {
  model::omp::forget_chunks();
  task_memory memory;
  int* const blocks[2]{take(memory), take(memory)};
  model::run_threads(
      [&] {
        model::await([&] {
          memory.collect();
          return memory.pending() == 0;
        });
        int* const first = take(memory);
        int* const second = take(memory);
        *first = 1;
        *second = 2;
        model::require(*first == 1 && first != second, "no block is there twice");
      },
      [&] {
        returned_tasks returned;
        for (int* const each : blocks) {
          *each = 5;
          returned.add(memory, each, kSmall);
        }
        returned.flush();
      });
  model::omp::free_chunks();
}

// One that is too large for reuse is freed where it ended, and counted.
void alone() {
  task_memory memory;
  int* const block = take(memory, task_memory::kAlone);
  model::run_threads(
      [&] {
        model::await([&] {
          memory.collect();
          return memory.pending() == 0;
        });
      },
      [&] {
        *block = 1;
        returned_tasks returned;
        returned.add(memory, block, task_memory::kAlone);
      });
}

// Put by two, taken by one: each once, the one with the priority first if both are available.
void set_aside() {
  fg::omp::set_aside_tasks aside;
  task usual;
  task urgent;
  urgent.priority = 1;
  const auto first = [&](auto accepts) { return aside.take(accepts); };
  const auto any = [](task& /*one*/) { return fg::omp::verdict::taken; };
  model::require(first(any) == nullptr, "nothing is there yet");  // takes the lock once
  int taken = 0;
  model::run_threads(
      [&] {
        for (int i = 0; i < 2; ++i) {
          model::await([&] { return aside.has_any_guess(); });
          task* const found = first(any);
          model::require(found != nullptr, "the count is right for who has seen it");
          taken += found == &urgent ? 2 : 1;
          model::require(found->depth == 1, "what was written before is seen");
        }
      },
      [&] {
        usual.depth = 1;
        aside.put(usual);
      },
      [&] {
        urgent.depth = 1;
        aside.put(urgent);
      });
  model::require(taken == 3 && !aside.has_any_guess(), "each is taken once");
}

}  // namespace

int main(int argc, char** argv) {
  constexpr model::explorer::limits kLoops{.turns = 6};
  return model::check_protocol(
      "blocks that come back, tasks set aside (omp)",
      {{"2 blocks, 3 threads", "each is used by one thread at a time", comes_back, kLoops},
       {"2 blocks at once", "each is used by one thread at a time", batch, kLoops},
       {"a block of its own", "freed once, counted", alone, kLoops},
       {"2 put aside, 3 threads", "each is taken once", set_aside, kLoops}},
      argc, argv);
}
