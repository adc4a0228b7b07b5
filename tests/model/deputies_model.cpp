// The queues of a worker that is away (balance/deputies.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>

#include "checker/protocol.hpp"
#include "finegrain/balance/deputies.hpp"
#include "finegrain/queue/spsc_ring.hpp"
#include "watched_task.hpp"

namespace {

using fg::detail::deputies;
using fg::detail::deputised;
using ring_type = fg::detail::spsc_ring<fg::pool_task*>;

// The queue of worker 0, with two tasks. It permits one consumer at a time.
struct setting {
  explicit setting(std::size_t workers, std::uint32_t patience)
      : standing_in{workers, deputised::caller, patience} {
    for (watched_task& each : tasks) {
      ring.try_push(&each.write());
    }
  }

  fg::pool_task* pop() {
    fg::pool_task* task = nullptr;
    ring.try_pop(task);
    return task;
  }
  void take_as_owner() {
    take_if_any(standing_in.take_as_owner(0, [&] { return pop(); }));
  }
  bool take_as_deputy(std::size_t worker) {
    return take_if_any(standing_in.take_as_deputy(
        worker, [&](std::size_t) { return ring.size_guess() != 0; },
        [&](std::size_t) { return pop(); }));
  }
  void require_all_taken_in_the_end() {
    while (take_if_any(pop())) {
    }
    require_all_taken(tasks);
  }

  std::array<watched_task, 2> tasks;
  ring_type ring{2};
  deputies standing_in;
};

// The owner comes back while its deputy works.
template <bool HasMembarrier>
void owner_and_deputy() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  setting here{2, 0};
  model::run_threads(
      [&] {
        here.take_as_owner();
        here.take_as_owner();
      },
      [&] {
        here.take_as_deputy(1);
        here.take_as_deputy(1);
      });
  here.require_all_taken_in_the_end();
}

// Two threads that try to become its deputy.
template <bool HasMembarrier>
void two_deputies() {
  fg::detail::asymmetric_fence::is_available = HasMembarrier;
  setting here{3, 0};
  model::run_threads([&] { here.take_as_owner(); }, [&] { here.take_as_deputy(1); },
                     [&] { here.take_as_deputy(2); });
  here.require_all_taken_in_the_end();
}

// A deputy acts after the given number of checks without a sign of life, not before.
void patience() {
  fg::detail::asymmetric_fence::is_available = true;
  setting here{2, 2};
  model::run_threads([&] {
    model::require(!here.take_as_deputy(1), "not at the first look");
    model::require(!here.take_as_deputy(1), "not at the second look");
    model::require(here.take_as_deputy(1), "there is nobody");
    model::require(here.take_as_deputy(1), "where there was one it goes on at once");
    model::require(!here.take_as_deputy(1), "there is nothing");
  });
  here.require_all_taken_in_the_end();
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "deputies (pool): an owner, 1 and 2 deputies, patience of 0 and 2 looks",
      {{"the owner and a deputy", "each task once", owner_and_deputy<true>},
       {"the owner and a deputy, no membarrier", "each task once", owner_and_deputy<false>},
       {"2 deputies and the owner", "each task once", two_deputies<true>},
       {"2 deputies and the owner, no membarrier", "each task once", two_deputies<false>},
       {"the owner is away", "its deputy comes", patience}},
      argc, argv);
}
