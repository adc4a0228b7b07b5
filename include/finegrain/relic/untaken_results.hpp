// The results that wait in a ring's slots until the main thread takes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "finegrain/task/task_record.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Where the result of a task goes when its slot is needed for another task.
struct result_taker {
  /// Takes the result or the exception out of the record. Null: the task has no result.
  void (*take)(task_record& record, void* destination) noexcept = nullptr;
  void* destination = nullptr;
};

/// The takers of a ring's results, by slot. Its main thread's own: the assistant has put the result
/// into the slot and does not know who takes it. Every call takes constant time.
template <std::size_t Capacity>
class untaken_results {
 public:
  [[nodiscard]] bool any() const noexcept { return count_ != 0; }

  /// Requires: the slot has no taker.
  void add(std::size_t slot, const result_taker& taker) noexcept {
    takers_[slot] = taker;
    ++count_;
  }

  /// The taker of the slot has moved. Requires: it has one.
  void redirect(std::size_t slot, void* destination) noexcept {
    takers_[slot].destination = destination;
  }

  /// The result has been taken. Requires: the slot has a taker.
  void remove(std::size_t slot) noexcept {
    takers_[slot].take = nullptr;
    --count_;
  }

  /// Gives the result in `record` to its slot's taker, if any. Requires: the task has finished.
  void deliver(std::size_t slot, task_record& record) noexcept {
    if (const result_taker taker = takers_[slot]; taker.take != nullptr) {
      remove(slot);
      taker.take(record, taker.destination);
    }
  }

  /// True if the slot has a taker.
  [[nodiscard]] bool has_taker(std::size_t slot) const noexcept {
    return takers_[slot].take != nullptr;
  }

 private:
  std::size_t count_ = 0;
  std::array<result_taker, Capacity> takers_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
