// A gate at which one thread sleeps until another has something for it (wait/sleep_gate.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "checker/protocol.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/sleep_gate.hpp"

namespace {

using fg::memory_order_acquire;
using fg::memory_order_release;

struct shared {
  explicit shared(bool asymmetric) : gate{asymmetric} {}

  fg::detail::sleep_gate gate;
  fg::atomic<int> published{0};
};

void publish(shared& state, int number) {
  state.published.store(number, memory_order_release);
  if (state.gate.needs_attention()) {
    state.gate.wake_sleeper();
  }
}

void sleep_until(shared& state, int number) {
  int seen = 0;
  const auto found_work = [&] { return state.published.load(memory_order_acquire) != seen; };
  while ((seen = state.published.load(memory_order_acquire)) != number) {
    if (state.gate.sleep_unless(found_work)) {
      model::require(!state.gate.is_asleep(), "a sleeper that returns is awake");
    }
  }
}

// Lost wake-up, wake before sleep, wake of a sleeper that stayed awake.
template <bool Asymmetric>
void one_publication() {
  shared state{Asymmetric};
  model::run_threads([&] { publish(state, 1); }, [&] { sleep_until(state, 1); });
  model::require(!state.gate.is_asleep(), "nobody sleeps any more");
  model::require(state.gate.needs_attention() != Asymmetric, "one load tells that nobody sleeps");
}

// The same, and an old wake for a new sleep.
template <bool Asymmetric>
void two_publications() {
  shared state{Asymmetric};
  model::run_threads(
      [&] {
        publish(state, 1);
        publish(state, 2);
      },
      [&] { sleep_until(state, 2); });
  model::require(!state.gate.is_asleep(), "nobody sleeps any more");
}

// The publisher leaves a dozing sleeper asleep, and sees for how long; that looks once more, sleeps,
// and is woken then.
template <bool Asymmetric>
void left_asleep() {
  shared state{Asymmetric};
  fg::atomic<int> looks_at{0};
  model::run_threads(
      [&] {
        state.published.store(1, memory_order_release);
        const auto seen = state.gate.look_at_sleeper();
        if (seen == fg::detail::sleep_gate::sleeper::asleep) {
          state.gate.wake_sleeper();
        } else if (seen == fg::detail::sleep_gate::sleeper::dozing) {
          model::require(looks_at.load(fg::memory_order_relaxed) == 1, "it says when it looks");
        }
      },
      [&] {
        const auto found = [&] { return state.published.load(memory_order_acquire) == 1; };
        const auto look_once = [] { return std::chrono::nanoseconds{0}; };
        looks_at.store(1, fg::memory_order_relaxed);
        state.gate.doze_unless(found, std::chrono::nanoseconds{1}, look_once);
        while (!found()) {
          state.gate.sleep_unless(found);
        }
      });
  model::require(state.gate.look_at_sleeper() == fg::detail::sleep_gate::sleeper::awake,
                 "nobody sleeps any more");
}

// A dozing sleeper is woken all the same.
void dozer_woken() {
  shared state{true};
  model::run_threads([&] { publish(state, 1); },
                     [&] {
                       const auto found = [&] {
                         return state.published.load(memory_order_acquire) == 1;
                       };
                       const auto doze_on = [] { return std::chrono::nanoseconds{1}; };
                       state.gate.doze_unless(found, std::chrono::nanoseconds{1}, doze_on);
                     });
  model::require(!state.gate.is_asleep(), "nobody sleeps any more");
}

// Both see that it sleeps, or is about to: only one has woken it, and the other continues with the
// next sleeper (idle_workers::wake_one). Neither has called `needs_attention` before.
void two_wakers() {
  shared state{true};
  bool first = false;
  bool second = false;
  model::run_threads(
      [&] {
        state.published.store(1, memory_order_release);
        first = state.gate.wake_sleeper();
      },
      [&] { second = state.gate.wake_sleeper(); },
      [&] {
        state.gate.sleep_unless([&] { return state.published.load(memory_order_acquire) != 0; });
      });
  model::require(!(first && second), "it slept once at most");
}

// The word changes without a wake-up while the sleeper falls asleep.
void stays_alert() {
  shared state{true};
  model::run_threads(
      [&] {
        state.gate.stay_alert();
        model::require(state.gate.needs_attention(), "alert at once");
        publish(state, 1);
      },
      [&] { sleep_until(state, 1); });
  model::require(!state.gate.is_asleep(), "nobody sleeps any more");
  model::require(state.gate.needs_attention(), "alert for ever");
}

// A forked child has the word of a sleeper that is in the parent.
void sleeper_forgotten() {
  shared state{true};
  state.gate.stay_alert();
  state.gate.sleep_unless([&] {
    model::require(state.gate.is_asleep(), "announced before the last look");
    state.gate.forget_sleeper();
    model::require(!state.gate.wake_sleeper(), "there is nobody to wake");
    return false;
  });
  model::require(state.gate.needs_attention(), "alert for ever");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "sleep_gate: a sleeper, 1 or 2 wakers",
      {{"1 publication", "the sleeper finds it", one_publication<true>},
       {"2 publications", "the sleeper finds both", two_publications<true>},
       {"1 publication, without membarrier", "the sleeper finds it", one_publication<false>},
       {"2 publications, without membarrier", "the sleeper finds both", two_publications<false>},
       {"1 publication for a dozer", "the sleeper finds it", left_asleep<true>},
       {"1 publication for a dozer, without membarrier", "the sleeper finds it",
        left_asleep<false>},
       {"a dozer is woken", "it is awake", dozer_woken},
       {"2 wakers", "a sleeper is woken once", two_wakers},
       {"alert from now on", "the sleeper finds the publication", stays_alert},
       {"a sleeper is forgotten", "nobody sleeps, and the gate stays alert", sleeper_forgotten}},
      argc, argv);
}
