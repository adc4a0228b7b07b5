// The hand-off protocol: a task goes to the assistant, and its completion back, on one cache line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/relic/untaken_results.hpp"
#include "finegrain/task/task_record.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A bounded queue of tasks from one thread, the main thread, to one other, the assistant. A task
/// and the notification of its completion use the same cache line.
///
/// It replaces the single-producer single-consumer queue of Relic (relic-2024, section VI.A) and
/// its counter of finished tasks. Two things differ from that design:
///
/// * **One line per task.** Each slot holds the task and a word, `turn`, on one line. Publishing
///   and completing are one store to it each, so an empty task costs one round trip of that line,
///   the hardware's floor. Separate indices would cost one more line in each direction.
/// * **The first slot is the hot one.** When the main thread has seen everything finished it starts
///   again at slot 0 (`rewind`). A submit-wait loop therefore uses the same line forever, and both
///   threads find the rest of the ring untouched in their caches.
///
/// ## Protocol
/// Tasks are numbered 0, 1, 2, ... in the order of `publish`; this number is the task's ticket. The
/// `turn` of a slot is
///
///     0          no task was here yet
///     2 n + 1    task n is here, published, not finished      (written by the main thread)
///     2 n + 2    task n was here and has finished             (written by the assistant)
///
/// The main thread writes only slots whose turn is even, the assistant only the slot whose turn is
/// 2 n + 1 for the one n that it expects next. So each slot has one writer at any time.
///
/// *Where the assistant looks.* Task n is either in the slot after that of task n - 1 or, if the
/// main thread has rewound, in slot 0. The assistant checks both for the exact value 2 n + 1. A
/// ticket never recurs (2^63 tasks take 29,000 years at 10 ns each), so an older or a later task in
/// either slot cannot be mistaken for it.
///
/// *Order.* The assistant finishes task n before it looks for n + 1, so tasks run in the order of
/// their tickets, and a finished task proves that all earlier ones are finished: `drained` checks
/// only the last task, `reserve` only the farthest slot that it needs.
///
/// *One task of many.* A task's place, its slot and its published turn, tells forever whether it
/// has finished: its slot then has another turn, the completion's or a later task's.
///
/// *Results* come home in the task's own line: the assistant writes them over the closure before
/// `complete`. The main thread reuses a slot only after a `reserve` or a `rewind` that has seen its
/// task finished; both first give the results that nobody has taken yet to their takers.
///
/// ## Memory order
/// `publish` (release) pairs with `try_next` (acquire): the assistant sees the closure and
/// everything that the main thread wrote before. `complete` (release) pairs with `drained` and
/// `reserve` (acquire): the main thread sees what the task wrote, its result too, and may overwrite
/// its slot, and
/// also the slots of all earlier tasks, whose completions are sequenced before in the assistant.
/// `finished` (acquire) pairs with `complete` too; if it finds a later task's turn it reads the
/// main thread's own store, and the `reserve` before that had seen the completion.
///
/// Every call takes constant time, allocates nothing and never blocks.
template <std::size_t Capacity>
class handoff_ring {
  static_assert(Capacity >= 2 && (Capacity & (Capacity - 1)) == 0, "a power of two");

 public:
  /// How many tasks can be published and unfinished at one time.
  static constexpr std::size_t kCapacity = Capacity;

  /// Identifies a task for `finished` and `is_last`.
  struct place {
    std::size_t index = 0;
    std::uint64_t published_turn = 0;
  };

  // ---- main thread only ----

  /// Makes sure that a slot is free, delivering the results in it and in those found with it; false
  /// if all hold unfinished tasks.
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

  /// The same for a task that keeps its result, which `taker` gets unless `take_over` comes first.
  void publish(const result_taker& taker) noexcept {
    main_.untaken.add(main_.index, taker);
    publish();
  }

  /// The place of the last published task. Requires: a `publish`.
  [[nodiscard]] place last() const noexcept { return {main_.last, 2 * main_.ticket - 1}; }

  /// True if the task at `at`, and so all before it, has finished; the caller sees their effects.
  [[nodiscard]] bool finished(const place& at) const noexcept {
    // Acquire: pairs with the release in complete.
    return slots_[at.index].turn.load(memory_order_acquire) != at.published_turn;
  }

  /// True if no task was published after the one at `at`.
  [[nodiscard]] bool is_last(const place& at) const noexcept {
    return at.published_turn == 2 * main_.ticket - 1;
  }

  /// The line that the completion of the task at `at` will write.
  [[nodiscard]] const void* line_of(const place& at) const noexcept { return &slots_[at.index]; }

  /// Tasks published since the start.
  [[nodiscard]] std::uint64_t published() const noexcept { return main_.ticket; }

  /// The line that the completion of the last published task will write.
  [[nodiscard]] const void* completion_line() const noexcept { return &slots_[main_.last]; }

  /// The result of the task at `at` goes to `destination` instead. Requires: it was not delivered.
  void redirect(const place& at, void* destination) noexcept {
    main_.untaken.redirect(at.index, destination);
  }

  /// The record of the task at `at`, whose result is now the caller's to take or drop before the
  /// next `publish`. Requires: it has finished, and was not delivered.
  [[nodiscard]] task_record& take_over(const place& at) noexcept {
    main_.untaken.remove(at.index);
    return slots_[at.index].record;
  }

  /// True if every published task has finished; their effects are then visible to the caller.
  [[nodiscard]] bool drained() const noexcept {
    // Acquire: pairs with the release in complete.
    return is_free(slots_[main_.last].turn.load(memory_order_acquire));
  }

  /// Goes back to the hot slot, delivering all results in the order of submission. Requires: `drained()` returned true since
  /// the last `publish`.
  void rewind() noexcept {
    if (main_.untaken.any()) [[unlikely]] {
      deliver(main_.index + main_.free, Capacity - main_.free);
    }
    main_.index = 0;
    main_.free = Capacity;
  }

  // ---- assistant only ----

  /// The oldest unfinished task; null if there is none (yet). The same record until `complete`.
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

  /// The line that the next task will most likely write: the main thread has waited for everything
  /// that it submitted, or soon will have.
  [[nodiscard]] const void* task_line() const noexcept { return slots_.data(); }

  /// Marks the task of the last `try_next` as finished and its record as empty.
  void complete() noexcept {
    // Release: pairs with the acquire in drained, finished and find_free.
    slots_[assistant_.index].turn.store(2 * assistant_.ticket + 2, memory_order_release);
    ++assistant_.ticket;
    assistant_.index = successor(assistant_.index);
    prefetch_for_read(&slots_[(assistant_.index + kPrefetchDistance) & (Capacity - 1)]);
  }

  // ---- the only thread of a forked child ----

  /// Takes over the assistant's end from a thread that is gone, at whatever step the fork found it.
  /// Unfinished tasks are given up: neither run nor destroyed; as a result they threw `reason`.
  void adopt_assistant(const std::exception_ptr& reason) noexcept {
    for (std::size_t i = 0; i != Capacity; ++i) {
      // Both relaxed: the child has only this thread.
      const std::uint64_t turn = slots_[i].turn.load(memory_order_relaxed);
      slots_[i].turn.store(turn + turn % 2, memory_order_relaxed);
      if (!is_free(turn) && main_.untaken.has_taker(i)) {
        slots_[i].record.give_up(reason);
      }
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
    untaken_results<Capacity> untaken;
  };
  struct alignas(kCacheLineBytes) assistant_state {
    std::uint64_t ticket = 0;  // of the task expected next
    std::size_t index = 0;     // the slot after that of the last task
  };

  // How far beyond the next task the assistant asks for a line. In a burst the main thread has
  // written that one by then, and its transfer overlaps with the tasks before it. Empty tasks in
  // bursts of 16 to 128 took 0.82 to 0.92 of the time without it where the CPUs were near (round
  // trip 70 ns), 0.74 to 0.89 where they were far (220 ns); 64 tasks of 16 ns, by a main thread that
  // works as long between them, 0.66 to 0.74. One further, and bursts of 8 take 1.14, two 1.25, as
  // that line is still being written; lone tasks and pairs take the same (EPYC 9004, KVM).
  static constexpr std::size_t kPrefetchDistance = 3;

  static constexpr std::size_t successor(std::size_t index) noexcept {
    return (index + 1) & (Capacity - 1);
  }
  static constexpr bool is_free(std::uint64_t turn) noexcept { return turn % 2 == 0; }

  [[nodiscard]] bool is_expected(const slot& candidate) const noexcept {
    // Acquire: pairs with the release in publish.
    return candidate.turn.load(memory_order_acquire) == 2 * assistant_.ticket + 1;
  }

  // Looks far ahead first, so that a full ring costs one miss for many slots and the main thread
  // avoids the assistant's lines (batch probing with backtracking as in B-Queue, Wang et al. 2013).
  bool find_free() noexcept {
    for (std::size_t ahead = Capacity / 2; ahead != 0; ahead /= 2) {
      const slot& farthest = slots_[(main_.index + ahead - 1) & (Capacity - 1)];
      // Acquire: pairs with the release in complete.
      if (is_free(farthest.turn.load(memory_order_acquire))) {
        main_.free = ahead;
        if (main_.untaken.any()) [[unlikely]] {
          deliver(main_.index, ahead);
        }
        return true;
      }
    }
    return false;
  }

  // Gives the results in up to `count` slots from `first` on to their takers, in the order of
  // submission: the oldest task is in the slot after those that are known to be free. Requires: the
  // slots' tasks have finished. Out of line, off the short path.
  FINEGRAIN_NOINLINE void deliver(std::size_t first, std::size_t count) noexcept {
    for (std::size_t i = 0; i != count && main_.untaken.any(); ++i) {
      const std::size_t at = (first + i) & (Capacity - 1);
      main_.untaken.deliver(at, slots_[at].record);
    }
  }

  main_state main_;
  assistant_state assistant_;
  std::array<slot, Capacity> slots_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
