// A task of an OpenMP program, explicit or implicit, and the count of its children.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::omp {

class control_variables;
class task_memory;
struct task_details;
struct taskgroup;

/// The children that a task still has, as three counters in one word, so that one operation changes
/// them together: children that have not finished, for which a taskwait waits; children that are
/// alive because they or their descendants have not finished; and holds on the task itself, which
/// keep its block from being reused (see recall.hpp).
namespace children {
inline constexpr std::uint64_t kUnfinished = 1;
inline constexpr std::uint64_t kAlive = std::uint64_t{1} << 30U;
inline constexpr std::uint64_t kBoth = kUnfinished + kAlive;
inline constexpr std::uint64_t kHold = std::uint64_t{1} << 60U;

// Both require the sum of all contributions.
inline bool all_finished(std::uint64_t sum) noexcept { return (sum & (kAlive - 1)) == 0; }
inline bool none_alive(std::uint64_t sum) noexcept { return (sum & (kHold - 1)) == 0; }
}  // namespace children

/// An explicit task, in a block of `task_memory` and followed by its data, or an implicit task, on
/// the stack of its thread.
///
/// ## Life
///
///     created    by the thread of its parent
///     waiting    for the tasks that it depends on
///     queued     in one of the team's queues
///     running    on `runner`, whose stack holds its frame, also while it waits there
///     detached   its body has ended, its event is not fulfilled yet
///     finished   its successors may run; its parent no longer waits for it
///     gone       all its descendants are finished, too: the block is free
///
/// A task outlives its descendants, so that a descendant can follow `parent` upwards.
///
/// ## Counting children
/// Their number is `local_children + remote_children`. Only the runner changes `local_children`, by
/// plain operations: a child that is created and finishes on the runner costs no read-modify-write.
/// All other threads subtract from `remote_children`, which is zero or negative (modulo 2^64) while
/// the task runs. When the body has ended, the runner adds its own part to the word. Before that a
/// subtraction never yields zero, because nothing is added. The thread that makes the word zero
/// apart from the holds retires the task; the thread that makes it zero frees the block.
struct alignas(16) task : pool_task {
  enum flag : std::uint16_t {
    kFinal = 1,            ///< its children run at once
    kImplicit = 4,         ///< a thread's part of a region
    kCountedInGroup = 8,   ///< `group` waits for it (its parent has opened that group)
    kHasDestructors = 16,  ///< the compiler's, for the data it has copied
    kResumed = 32,         ///< untied, and has submitted itself: its routine is called again
    kHasPriority = 64,     ///< set by the program
    kListed = 128,         ///< its creator can recall it: see recall.hpp
    kHasMore = 256,        ///< details, or control variables
    kRecords = 512,        ///< its taskgraph is being recorded; in a child: until it is submitted
    kReplayed = 1024       ///< of a taskgraph that is replayed, or a descendant
  };

  task* parent = nullptr;      ///< null: implicit
  taskgroup* group = nullptr;  ///< innermost at its creation; while it runs: innermost now
  /// `thread::id`; 0 before the task has begun, kEnded after its end. Relaxed except for claims:
  /// only the runner's own comparison must be right, and the runner sees what it has written.
  atomic<std::uint32_t> runner{0};
  /// Tasks in the runner's list when this one began: those listed later are its descendants.
  std::uint32_t listed_below = 0;
  std::uint64_t local_children = 0;
  atomic<std::uint64_t> remote_children{0};
  task_details* details = nullptr;  ///< null: neither dependences nor an event
  task_memory* memory = nullptr;    ///< owner of its block; null: on a stack
  std::uint32_t depth = 0;          ///< 0 for an implicit task
  std::uint16_t flags = 0;
  std::uint8_t size_class = 0;
  std::int8_t priority = 0;
  /// Null: those of the implicit task of the thread that runs it.
  control_variables* variables = nullptr;
  std::uint32_t data_bytes = 0;  ///< after the task
  std::uint32_t mark = kMark;    ///< distinguishes our tasks from those of the runtime below

  /// Constructs an implicit task.
  task() noexcept : pool_task{nullptr, nullptr} {}

  /// Constructs an explicit task, child of `maker`, followed by `bytes` of data. Writes each word
  /// once.
  task(task& maker, task_memory& from, std::uint8_t block_class, std::size_t bytes,
       routine_type body, std::uint16_t given_flags) noexcept
      : pool_task{body, nullptr},
        parent{&maker},
        group{maker.group},
        memory{&from},
        depth{maker.depth + 1},
        flags{static_cast<std::uint16_t>(given_flags |
                                         (maker.flags & (kFinal | kRecords | kReplayed)))},
        size_class{block_class},
        data_bytes{static_cast<std::uint32_t>(bytes)} {}

  static constexpr std::uint32_t kEnded = ~std::uint32_t{0};
  static constexpr std::uint32_t kMark = 0x66696e65;

  [[nodiscard]] bool is(flag which) const noexcept { return (flags & which) != 0; }

  /// Sum of all contributions. Runner only.
  [[nodiscard]] std::uint64_t children_sum() const noexcept {
    // Acquire: pairs with the release of children that finished on other threads.
    return local_children + remote_children.load(memory_order_acquire);
  }

  /// Makes thread `id` the runner of a listed task. Returns false if another thread was faster.
  bool try_claim(std::uint32_t id) noexcept {
    // Acquire: pairs with the release in give_up_claim, before which `local_children` was changed.
    // The queue publishes what the creator did, or the creator is the caller. The load is a hint.
    // Relaxed on failure: nothing is taken.
    std::uint32_t nobody = 0;
    return runner.load(memory_order_relaxed) == 0 &&
           runner.compare_exchange_strong(nobody, id, memory_order_acquire, memory_order_relaxed);
  }
  /// Withdraws a claim.
  // Release: pairs with the acquire in try_claim.
  void give_up_claim() noexcept { runner.store(0, memory_order_release); }

  /// Returns the data that the compiler asked for, after the task.
  [[nodiscard]] void* data() noexcept { return this + 1; }
  static task& of_data(void* data) noexcept { return *(static_cast<task*>(data) - 1); }

  /// Whether the task descends from `ancestor`. Requires: the task is alive. Linear in the
  /// distance.
  [[nodiscard]] bool descends_from(const task& ancestor) const noexcept {
    const task* each = this;
    while (each != nullptr && each->depth > ancestor.depth) {
      each = each->parent;
    }
    return each == &ancestor;
  }
};

}  // namespace fg::omp
