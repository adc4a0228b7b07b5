// A task of an OpenMP program, as all of the bridge knows it.
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

/// How many children of a task there still are, three numbers in one word, so that one operation
/// changes them together: children that have not finished, for which a taskwait waits; those that
/// are alive because they, or descendants of theirs, have not finished; and who else refers to the
/// task itself, so that its block can not be used again yet (see recall.hpp).
namespace children {
inline constexpr std::uint64_t kUnfinished = 1;
inline constexpr std::uint64_t kAlive = std::uint64_t{1} << 30U;
inline constexpr std::uint64_t kBoth = kUnfinished + kAlive;
inline constexpr std::uint64_t kHold = std::uint64_t{1} << 60U;

// Requires, both: a sum of all contributions.
inline bool all_finished(std::uint64_t sum) noexcept { return (sum & (kAlive - 1)) == 0; }
inline bool none_alive(std::uint64_t sum) noexcept { return (sum & (kHold - 1)) == 0; }
}  // namespace children

/// An explicit task, which lies in a block of `task_memory` with its data behind it, or an implicit
/// one, on the stack of the thread that it belongs to.
///
/// ## Life
///
///     made       by the thread of its parent
///     waiting    for what it depends on
///     queued     in one of the team's queues
///     running    on `runner`, whose stack holds it; also while it waits there
///     detached   its body has ended, its event is not fulfilled yet
///     finished   its successors may run; its parent does not wait for it any more
///     gone       all its descendants are finished, too: the block is free
///
/// A task outlives its descendants, so that a descendant can look up along `parent`.
///
/// ## Counting children
/// Their number is `local_children + remote_children`. The runner alone changes `local_children`,
/// plainly: a child that is made and finishes there costs no read-modify-write. All others subtract
/// from `remote_children`, which is zero or negative (modulo 2^64) as long as the task runs. When
/// its body has ended the runner adds its own part to it ("folds"). Before the fold the word is
/// never zero after a subtraction, because nobody adds to it: the one that makes it zero but for
/// holds buries the task, and the one that makes it zero frees the block.
struct alignas(16) task : pool_task {
  enum flag : std::uint16_t {
    kFinal = 1,            ///< its children run at once
    kImplicit = 4,         ///< a thread's part of a region
    kCountedInGroup = 8,   ///< `group` waits for it (its parent has opened that group)
    kHasDestructors = 16,  ///< of the compiler, for what it has copied
    kResumed = 32,         ///< untied, has submitted itself: its routine is to be called again
    kHasPriority = 64,     ///< the program has given it one
    kListed = 128,         ///< its maker can recall it: see recall.hpp
    kHasMore = 256         ///< details, or control variables
  };

  task* parent = nullptr;      ///< null: implicit
  taskgroup* group = nullptr;  ///< around its creation; while it runs: around what it does now
  /// `thread::id`; 0 before anybody has begun it, kEnded after its end. Relaxed but for claims:
  /// only the runner's own comparison has to be right, and it sees what it has written.
  atomic<std::uint32_t> runner{0};
  /// How many tasks the runner's list held when this one began: those above are its descendants.
  std::uint32_t listed_below = 0;
  std::uint64_t local_children = 0;
  atomic<std::uint64_t> remote_children{0};
  task_details* details = nullptr;  ///< null: neither dependences nor an event
  task_memory* memory = nullptr;    ///< whose block it lies in; null: on a stack
  std::uint32_t depth = 0;          ///< 0 for an implicit task
  std::uint16_t flags = 0;
  std::uint8_t size_class = 0;
  std::int8_t priority = 0;
  /// Null: those of the implicit task whose thread runs it.
  control_variables* variables = nullptr;
  std::uint32_t data_bytes = 0;  ///< behind the task
  std::uint32_t mark = kMark;    ///< tells this runtime's tasks from those of the one below

  /// An implicit task.
  task() noexcept : pool_task{nullptr, nullptr} {}

  /// An explicit one, child of `maker`, with `bytes` of data behind it. Each word is written once.
  task(task& maker, task_memory& from, std::uint8_t block_class, std::size_t bytes,
       routine_type body, std::uint16_t given_flags) noexcept
      : pool_task{body, nullptr},
        parent{&maker},
        group{maker.group},
        memory{&from},
        depth{maker.depth + 1},
        flags{static_cast<std::uint16_t>(given_flags | (maker.flags & kFinal))},
        size_class{block_class},
        data_bytes{static_cast<std::uint32_t>(bytes)} {}

  static constexpr std::uint32_t kEnded = ~std::uint32_t{0};
  static constexpr std::uint32_t kMark = 0x66696e65;

  [[nodiscard]] bool is(flag which) const noexcept { return (flags & which) != 0; }

  /// All contributions. The runner only.
  [[nodiscard]] std::uint64_t children_sum() const noexcept {
    // Acquire: pairs with the release of the one that finished elsewhere.
    return local_children + remote_children.load(memory_order_acquire);
  }

  /// Makes the caller the one who runs a listed task; false: somebody else was faster.
  bool try_claim(std::uint32_t id) noexcept {
    // Acquire: pairs with the release in give_up_claim, behind which `local_children` was changed.
    // What the maker did comes through the queue, or the maker is the caller. The load is a look;
    // relaxed on failure: nothing is taken.
    std::uint32_t nobody = 0;
    return runner.load(memory_order_relaxed) == 0 &&
           runner.compare_exchange_strong(nobody, id, memory_order_acquire, memory_order_relaxed);
  }
  /// Takes a claim back.
  // Release: pairs with the acquire in try_claim.
  void give_up_claim() noexcept { runner.store(0, memory_order_release); }

  /// The data that the compiler asked for, behind the task.
  [[nodiscard]] void* data() noexcept { return this + 1; }
  static task& of_data(void* data) noexcept { return *(static_cast<task*>(data) - 1); }

  /// Whether it descends from `ancestor`. Requires: it is alive. Linear in the distance.
  [[nodiscard]] bool descends_from(const task& ancestor) const noexcept {
    const task* each = this;
    while (each != nullptr && each->depth > ancestor.depth) {
      each = each->parent;
    }
    return each == &ancestor;
  }
};

}  // namespace fg::omp
