// A lock that is almost free for its usual owner (wait/biased_lock.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "checker/protocol.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"
#include "finegrain/wait/biased_lock.hpp"

namespace {

struct shared {
  fg::detail::biased_lock lock;
  int entered = 0;  // protected by the lock
};

// Each returns how often it was inside.

int try_as_owner(shared& state) {
  if (!state.lock.try_enter()) {
    return 0;
  }
  ++state.entered;
  state.lock.leave();
  return 1;
}

int enter_as_owner(shared& state) {
  state.lock.enter();
  ++state.entered;
  state.lock.leave();
  return 1;
}

int try_as_deputy(shared& state) {
  if (!state.lock.try_enter_as_deputy()) {
    return 0;
  }
  ++state.entered;
  state.lock.leave_as_deputy();
  return 1;
}

void require_all(shared& state, int entered) {
  model::require(state.entered == entered, "each section sees those before");
  model::require(try_as_deputy(state) == 1, "nobody is inside any more");
  model::require(try_as_owner(state) == 1, "nobody is inside any more");
  model::require(try_as_deputy(state) == 1, "nobody is inside any more");
}

// The owner's second attempt may fail, and the deputy may read its store.
template <bool Asymmetric>
void owner_and_deputy() {
  fg::detail::asymmetric_fence::is_available = Asymmetric;
  shared state;
  int of_owner = 0;
  int of_deputy = 0;
  model::run_threads(
      [&] {
        of_owner = try_as_owner(state);
        of_owner += try_as_owner(state);
      },
      [&] {
        of_deputy = try_as_deputy(state);
        of_deputy += try_as_deputy(state);
      });
  require_all(state, of_owner + of_deputy);
}

template <bool Asymmetric>
void owner_and_two_deputies() {
  fg::detail::asymmetric_fence::is_available = Asymmetric;
  shared state;
  int of_owner = 0;
  int of_deputies[2]{};
  model::run_threads([&] { of_owner = try_as_owner(state); },
                     [&] { of_deputies[0] = try_as_deputy(state); },
                     [&] { of_deputies[1] = try_as_deputy(state); });
  require_all(state, of_owner + of_deputies[0] + of_deputies[1]);
}

// The owner gets in however often a deputy does.
template <bool Asymmetric>
void owner_waits() {
  fg::detail::asymmetric_fence::is_available = Asymmetric;
  shared state;
  int of_deputy = 0;
  model::run_threads([&] { enter_as_owner(state); },
                     [&] {
                       of_deputy = try_as_deputy(state);
                       of_deputy += try_as_deputy(state);
                     });
  require_all(state, 1 + of_deputy);
}

// Entering without a fence is allowed with membarrier, and fails without it.
void owner_without_fence() {
  const bool asymmetric = model::choose(2) != 0;
  fg::detail::asymmetric_fence::is_available = asymmetric;
  shared state;
  const bool is_inside = state.lock.try_enter_without_fence();
  model::require(is_inside == asymmetric, "only with membarrier");
  model::require(state.lock.try_enter_as_deputy() != is_inside, "inside or not");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "biased_lock: an owner and 1 or 2 deputies",
      {{"2 attempts of the owner, 2 of a deputy", "never both inside", owner_and_deputy<true>},
       {"the same without membarrier", "never both inside", owner_and_deputy<false>},
       {"1 attempt of each of three", "never two inside", owner_and_two_deputies<true>},
       {"1 attempt of each, without membarrier", "never two inside", owner_and_two_deputies<false>},
       {"the owner waits", "it comes in", owner_waits<true>},
       {"the owner waits, without membarrier", "it comes in", owner_waits<false>},
       {"the owner pays no fence", "only with membarrier", owner_without_fence}},
      argc, argv);
}
