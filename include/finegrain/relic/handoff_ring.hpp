// The hand-off protocol: a task goes to the assistant, and its completion back, on one line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/task_record.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A bounded queue of tasks from one thread, the main one, to one other, the assistant, in which a
/// task and the news of its completion travel on the same cache line.
///
/// It has the role of the single-producer single-consumer queue in Relic (relic-2024, section VI.A)
/// and of the counter of finished tasks beside it. Two things differ from that design:
///
/// * **One line a task.** Each slot holds the task and a word, `turn`, in one line. Publishing and
///   completing are one store to it each, so an empty task costs one line there and back, the
///   hardware's floor, where indices of their own would cost a line more in each direction.
/// * **The first slot is the hot one.** When the main thread has seen everything finished it begins
///   again at slot 0 (`rewind`). A submit-wait loop therefore uses one line for ever, and both
///   threads find the rest of the ring untouched in their caches.
///
/// ## Protocol
/// Tasks are numbered 0, 1, 2, ... in the order of `publish`; this number is the task's ticket. A
/// slot's `turn` is
///
///     0          no task was here yet
///     2 n + 1    task n is here, published, not finished      (written by the main thread)
///     2 n + 2    task n was here and has finished             (written by the assistant)
///
/// The main thread writes only slots whose turn is even, the assistant only the slot whose turn is
/// 2 n + 1 for the one n that it expects next; so each slot has one writer at any time.
///
/// *Where the assistant looks.* Task n stands either in the slot behind that of task n - 1, or, if
/// the main thread has rewound, in slot 0. The assistant looks at both for the exact value 2 n + 1.
/// A ticket never comes again (2^63 tasks take 29,000 years at 10 ns each), so an old or a later
/// task in either slot cannot be taken for it.
///
/// *Order.* The assistant finishes task n before it looks for n + 1, so tasks run in the order of
/// their tickets, and a finished task proves all earlier ones finished: `drained` looks only at the
/// last task, `reserve` only at the farthest slot that it wants.
///
/// *One task of many.* A task's place, its slot and its published turn, tells for ever whether it
/// has finished: its slot's turn is another one then, the completion's or a later task's.
///
/// ## Memory order
/// `publish` (release) pairs with `try_next` (acquire): the assistant sees the closure and whatever
/// the main thread wrote before. `complete` (release) pairs with `drained` and `reserve` (acquire):
/// the main thread sees what the task wrote, and may overwrite the slot, also the slots of all
/// earlier tasks, whose completions are sequenced before in the assistant. `finished` (acquire)
/// pairs with `complete` too; where it finds a later task's turn it reads the main thread's own
/// store, and the `reserve` before that had seen the completion.
///
/// Every call is constant time, allocates nothing and never blocks.
template <std::size_t Capacity>
class handoff_ring {
  static_assert(Capacity >= 2 && (Capacity & (Capacity - 1)) == 0, "a power of two");

 public:
  /// Tasks that can be published and not finished at one time.
  static constexpr std::size_t kCapacity = Capacity;

  /// Where a task stands: what `finished` and `is_last` want.
  struct place {
    std::size_t index = 0;
    std::uint64_t published_turn = 0;
  };

  // ---- main thread only ----

  /// Makes sure that a slot is free; false when all hold unfinished tasks.
  [[nodiscard]] bool reserve() noexcept { return main_.free != 0 || find_free(); }

  /// The record to fill before `publish`. Requires: `reserve()` returned true since the last
  /// `publish`. The assistant does not look at it before `publish`.
  [[nodiscard]] task_record& next_record() noexcept { return slots_[main_.index].record; }

  /// Hands the filled record to the assistant.
  void publish() noexcept {
    slot& published = slots_[main_.index];
    // Release: pairs with the acquire in try_next.
    published.turn.store(2 * main_.ticket + 1, memory_order_release);
    ++main_.ticket;
    main_.last = main_.index;
    main_.index = successor(main_.index);
    --main_.free;
  }

  /// The place of the last published task. Requires: a `publish`.
  [[nodiscard]] place last() const noexcept { return {main_.last, 2 * main_.ticket - 1}; }

  /// True when the task at `at` has finished, and so all before it; their effects are then visible
  /// to the caller.
  [[nodiscard]] bool finished(const place& at) const noexcept {
    // Acquire: pairs with the release in complete.
    return slots_[at.index].turn.load(memory_order_acquire) != at.published_turn;
  }

  /// True when no task was published after the one at `at`.
  [[nodiscard]] bool is_last(const place& at) const noexcept {
    return at.published_turn == 2 * main_.ticket - 1;
  }

  /// The line that the completion of the task at `at` will write.
  [[nodiscard]] const void* line_of(const place& at) const noexcept { return &slots_[at.index]; }

  /// Tasks published since the start.
  [[nodiscard]] std::uint64_t published() const noexcept { return main_.ticket; }

  /// The line that the completion of the last published task will write.
  [[nodiscard]] const void* completion_line() const noexcept { return &slots_[main_.last]; }

  /// True when every published task has finished; its effects are then visible to the caller.
  [[nodiscard]] bool drained() const noexcept {
    // Acquire: pairs with the release in complete.
    return is_free(slots_[main_.last].turn.load(memory_order_acquire));
  }

  /// Goes back to the hot slot. Requires: `drained()` returned true since the last `publish`.
  void rewind() noexcept {
    main_.index = 0;
    main_.free = Capacity;
  }

  // ---- assistant only ----

  /// The oldest task that is not finished, or null when there is none (yet). The same record again
  /// until `complete`.
  [[nodiscard]] task_record* try_next() noexcept {
    if (is_expected(slots_[assistant_.index])) {
      return &slots_[assistant_.index].record;
    }
    if (is_expected(slots_[0])) {  // the main thread has rewound
      assistant_.index = 0;
      return &slots_[0].record;
    }
    return nullptr;
  }

  /// Tasks finished since the start.
  [[nodiscard]] std::uint64_t completed() const noexcept { return assistant_.ticket; }

  /// The line that the next task will most likely write: the main thread has waited for all that it
  /// submitted, or soon will have.
  [[nodiscard]] const void* task_line() const noexcept { return slots_.data(); }

  /// Declares the task of the last `try_next` finished and its record empty.
  void complete() noexcept {
    // Release: pairs with the acquire in drained and in find_free.
    slots_[assistant_.index].turn.store(2 * assistant_.ticket + 2, memory_order_release);
    ++assistant_.ticket;
    assistant_.index = successor(assistant_.index);
  }

  // ---- the only thread of a forked child ----

  /// Takes the assistant's end over from a thread that is not there any more, in whatever step it
  /// was when the process was copied. Tasks that had not finished are given up: neither run nor
  /// destroyed.
  void adopt_assistant() noexcept {
    for (slot& each : slots_) {
      // Relaxed, both: the child has this one thread.
      const std::uint64_t turn = each.turn.load(memory_order_relaxed);
      each.turn.store(turn + turn % 2, memory_order_relaxed);
    }
    rewind();
    assistant_.ticket = main_.ticket;
    assistant_.index = main_.index;
  }

 private:
  struct alignas(kCacheLineBytes) slot {
    atomic<std::uint64_t> turn{0};
    task_record record;
  };
  static_assert(sizeof(slot) == kCacheLineBytes, "task and turn share one line");

  // Each thread's own state: plain, because the other never touches it, and on a line of its own.
  struct alignas(kCacheLineBytes) main_state {
    std::uint64_t ticket = 0;     // of the next task
    std::size_t index = 0;        // its slot
    std::size_t last = 0;         // slot of the last published task
    std::size_t free = Capacity;  // slots from `index` on that are known to be free
  };
  struct alignas(kCacheLineBytes) assistant_state {
    std::uint64_t ticket = 0;  // of the task expected next
    std::size_t index = 0;     // the slot behind that of the last task
  };

  static constexpr std::size_t successor(std::size_t index) noexcept {
    return (index + 1) & (Capacity - 1);
  }
  static constexpr bool is_free(std::uint64_t turn) noexcept { return turn % 2 == 0; }

  [[nodiscard]] bool is_expected(const slot& candidate) const noexcept {
    // Acquire: pairs with the release in publish.
    return candidate.turn.load(memory_order_acquire) == 2 * assistant_.ticket + 1;
  }

  // Looks far ahead first, so that a full ring costs one miss for many slots and the main thread
  // stays away from the lines that the assistant works on (batch probing with backtracking as in
  // B-Queue, Wang et al. 2013).
  bool find_free() noexcept {
    for (std::size_t ahead = Capacity / 2; ahead != 0; ahead /= 2) {
      const slot& farthest = slots_[(main_.index + ahead - 1) & (Capacity - 1)];
      // Acquire: pairs with the release in complete.
      if (is_free(farthest.turn.load(memory_order_acquire))) {
        main_.free = ahead;
        return true;
      }
    }
    return false;
  }

  main_state main_;
  assistant_state assistant_;
  std::array<slot, Capacity> slots_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
