// Where the workers of a pool sleep (balance/idle_workers.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace {

using fg::memory_order_acq_rel;
using fg::memory_order_acquire;
using fg::memory_order_release;

struct shared {
  explicit shared(std::size_t workers) : idle{workers} {}

  fg::detail::idle_workers idle;
  fg::atomic<int> tasks{0};
  fg::atomic<bool> completed{false};
};

bool try_take(shared& state) {
  int there = state.tasks.load(memory_order_acquire);
  while (there != 0) {
    if (state.tasks.compare_exchange_weak(there, there - 1, memory_order_acq_rel,
                                          memory_order_acquire)) {
      return true;
    }
  }
  return false;
}

void publish_task(shared& state) {
  state.tasks.fetch_add(1, memory_order_release);
  if (state.idle.any_after_publishing()) {
    state.idle.wake_one();
  }
}

void take_task(shared& state, std::size_t worker) {
  while (!try_take(state)) {
    state.idle.sleep(worker, false, [&] { return state.tasks.load(memory_order_acquire) != 0; });
  }
}

void complete(shared& state) {
  state.completed.store(true, memory_order_release);
  if (state.idle.any_after_publishing()) {
    state.idle.wake_waiting();
  }
}

void await_completion(shared& state, std::size_t worker) {
  const auto is_complete = [&] { return state.completed.load(memory_order_acquire); };
  while (!is_complete()) {
    state.idle.sleep(worker, true, is_complete);
  }
}

void require_all_awake(const shared& state) {
  model::require(!state.idle.any_guess(), "nobody counts as asleep any more");
}

// Two tasks one after the other for one worker.
template <bool Asymmetric>
void one_worker() {
  fg::detail::asymmetric_fence::is_available = Asymmetric;
  shared state{1};
  model::run_threads(
      [&] {
        publish_task(state);
        publish_task(state);
      },
      [&] {
        take_task(state, 0);
        take_task(state, 0);
      });
  require_all_awake(state);
}

// The first worker is awake and busy: the second one is woken.
void second_worker() {
  fg::detail::asymmetric_fence::is_available = true;
  shared state{2};
  model::run_threads([&] { publish_task(state); }, [&] { take_task(state, 1); });
  require_all_awake(state);
}

// One waits for a completion, the other for a task, and both arrive at once.
void all_at_once() {
  fg::detail::asymmetric_fence::is_available = true;
  shared state{2};
  model::run_threads(
      [&] {
        state.tasks.store(1, memory_order_release);
        state.completed.store(true, memory_order_release);
        if (state.idle.any_after_publishing()) {
          state.idle.wake_all();
        }
      },
      [&] { await_completion(state, 0); }, [&] { take_task(state, 1); });
  require_all_awake(state);
}

template <bool Asymmetric>
void completion() {
  fg::detail::asymmetric_fence::is_available = Asymmetric;
  shared state{1};
  model::run_threads([&] { complete(state); }, [&] { await_completion(state, 0); });
  require_all_awake(state);
}

// Two sleep: the one that waits for a completion takes only tasks of another region. A thread that
// publishes a task of this region, or one that only workers without a wait may take, wakes the
// other.
template <bool OfRegion>
void the_right_one() {
  fg::detail::asymmetric_fence::is_available = true;
  shared state{2};
  model::run_threads(
      [&] {
        state.tasks.fetch_add(1, memory_order_release);
        if (state.idle.any_after_publishing()) {
          OfRegion ? state.idle.wake_one_for(1) : state.idle.wake_one_that_does_not_wait();
        }
        complete(state);
      },
      [&] {
        state.idle.sleep_in_region(2, 0, true,
                                   [&] { return state.completed.load(memory_order_acquire); });
      },
      [&] { take_task(state, 1); });
  require_all_awake(state);
}

// A new worker publishes, and a worker that goes to sleep sees it, though it did not know of the
// new worker before.
void a_new_worker() {
  fg::detail::asymmetric_fence::is_available = true;
  fg::detail::idle_workers idle{2, 1};
  std::array<fg::atomic<int>, 2> tasks{};
  model::run_threads(
      [&] {
        idle.use_number(1);
        tasks[1].store(1, memory_order_release);
        if (idle.any_after_publishing()) {
          idle.wake_one();
        }
      },
      [&] {
        bool is_there = false;
        while (!is_there) {
          idle.sleep(0, false, [&] {
            for (std::size_t worker = 0; worker < idle.numbers_in_use(); ++worker) {
              is_there = is_there || tasks[worker].load(memory_order_acquire) != 0;
            }
            return is_there;
          });
        }
      });
}

// The announcement follows S1.
void announcement() {
  fg::detail::asymmetric_fence::is_available = true;
  shared state{1};
  fg::atomic<bool> announced{false};
  model::run_threads(
      [&] {
        state.tasks.fetch_add(1, memory_order_release);
        if (state.idle.any_after_publishing()) {
          model::await([&] { return announced.load(memory_order_acquire); });
          state.idle.wake(0);
        }
      },
      [&] {
        while (!try_take(state)) {
          state.idle.sleep(
              0, false,
              [&] {
                model::require(state.idle.any_guess(), "counted before it announces");
                announced.store(true, memory_order_release);
              },
              [&] { return state.tasks.load(memory_order_acquire) != 0; });
        }
      });
  require_all_awake(state);
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "idle_workers: a publisher and 1 or 2 workers",
      {{"2 tasks for a worker", "both are found", one_worker<true>},
       {"2 tasks for a worker, without membarrier", "both are found", one_worker<false>},
       {"a task for the second worker", "it is found", second_worker},
       {"a completion", "who waits for it wakes up", completion<true>},
       {"a completion, without membarrier", "who waits for it wakes up", completion<false>},
       {"a task and a completion for 2 workers", "both wake up", all_at_once},
       {"an announcement", "it is seen by whoever saw the sleeper", announcement},
       {"one of two, by region", "the right one is woken", the_right_one<true>},
       {"one of two, by what it waits for", "the right one is woken", the_right_one<false>},
       {"a new worker", "it is seen", a_new_worker}},
      argc, argv);
}
