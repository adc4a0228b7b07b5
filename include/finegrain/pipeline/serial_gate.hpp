// Lets one token at a time into a stage of a pipeline, in the order in which they come.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What waits at a gate. It belongs to the gate from an `enter` that returned false until `leave`
/// returns it.
struct gate_link {
  gate_link* later = nullptr;
};

/// A lock without waiting threads: who finds it closed leaves its token there and does something else,
/// and who leaves goes on with the token that has waited longest, or opens it.
///
/// ## States of the word
///
///     null          open
///     the gate's    closed: a token is inside, and none has come since its thread last took all
///     a token's     the same, and this one has come last; it links to the one before, the first to
///                   the gate's own
///
/// Whoever is inside takes all that have come at once, and turns them round: `in_order_` is theirs.
class serial_gate {
 public:
  serial_gate() = default;
  serial_gate(const serial_gate&) = delete;
  serial_gate& operator=(const serial_gate&) = delete;

  /// True: the caller is inside, and sees what those before it wrote there. False: `arrived` waits,
  /// and may be inside already. Any thread.
  [[nodiscard]] bool enter(gate_link& arrived) noexcept {
    gate_link* seen = last_.load(memory_order_relaxed);  // the exchange decides
    do {
      arrived.later = seen;
      // Acquire: pairs with the release in leave, by which the gate was opened. Release: pairs with the
      // acquire in leave, for what the token carries.
    } while (!last_.compare_exchange_weak(seen, seen == nullptr ? &closed_ : &arrived,
                                          memory_order_acq_rel, memory_order_relaxed));
    return seen == nullptr;
  }

  /// The one that is inside leaves. Returns the next one, which is inside then, with what it carries
  /// visible; null: the gate is open. The caller passes on what it wrote with the token.
  [[nodiscard]] gate_link* leave() noexcept {
    if (in_order_ == nullptr && !take_arrived()) {
      return nullptr;
    }
    return std::exchange(in_order_, in_order_->later);
  }

 private:
  // False: none had come, and the gate is open.
  bool take_arrived() noexcept {
    gate_link* seen = &closed_;
    // Release: pairs with the acquire of the next enter. If it fails: relaxed, the exchange acquires.
    if (last_.compare_exchange_strong(seen, nullptr, memory_order_release, memory_order_relaxed)) {
      return false;
    }
    // Acquire: pairs with the releases of those that came.
    for (seen = last_.exchange(&closed_, memory_order_acquire); seen != &closed_;) {
      gate_link* const earlier = std::exchange(seen->later, in_order_);
      in_order_ = std::exchange(seen, earlier);
    }
    return true;
  }

  atomic<gate_link*> last_{nullptr};
  gate_link closed_;               // only its address counts
  gate_link* in_order_ = nullptr;  // of whoever is inside
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
