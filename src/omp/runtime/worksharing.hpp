// How the threads of a region share the iterations of a loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cancellation.hpp"
#include "control_values.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "loop_share.hpp"

namespace fg::omp::runtime {

/// What the threads share of one worksharing construct that hands out its iterations at run time.
///
/// A thread may be some constructs ahead of another (nowait), so a region has several of these, and
/// construct `n` uses the `n` modulo their number. The last thread to leave one cleans it for the
/// construct that uses it next: so a thread that enters finds it ready, or waits for one that is
/// far behind.
struct alignas(kCacheLineBytes) shared_loop {
  /// The construct that may use it. Release by the last to leave; acquire by those that enter.
  atomic<std::uint32_t> construct{0};
  /// Threads that have left. Acquire-release: the last one sees the others' last accesses.
  atomic<std::uint32_t> left{0};
  /// The first iteration that nobody has. Relaxed: iterations publish nothing to each other.
  atomic<std::uint64_t> next{0};
  /// The iteration whose ordered part may run. Release by the thread that passes it on, acquire by
  /// the next.
  atomic<std::uint64_t> ordered{0};
  /// What compiled code shares beside the loop (GNU's reductions and memory, doacross): made by the
  /// first thread that asks. Release by it, acquire by the others.
  atomic<void*> memory{nullptr};
  atomic<void*> reductions{nullptr};

  /// As at first, but for the construct. Relaxed: what follows releases it.
  void clean() noexcept {
    memory.store(nullptr, memory_order_relaxed);
    reductions.store(nullptr, memory_order_relaxed);
    left.store(0, memory_order_relaxed);
    // Relaxed, as said above.
    next.store(0, memory_order_relaxed);
    ordered.store(0, memory_order_relaxed);
  }
};

/// Enough for threads that are ahead by that many constructs with nowait; LLVM's runtime has 7.
inline constexpr std::size_t kSharedLoops = 8;

/// All of a region's, and the other words that its worksharing constructs need.
struct worksharing {
  std::array<shared_loop, kSharedLoops> loops;
  /// Single constructs that a thread has begun. Each thread counts those that it meets; the one
  /// that makes this number equal to its own runs the body. Relaxed: it publishes nothing.
  alignas(kCacheLineBytes) atomic<std::uint32_t> singles{0};
  /// What the thread that runs a single construct with copyprivate passes to the others; null until
  /// then. Barriers order it, but in a cancelled region they do not wait: release by that thread,
  /// acquire by the others.
  atomic<void*> copyprivate{nullptr};
  /// One for each thread of the team, at least. Not written during a region.
  alignas(kCacheLineBytes) std::unique_ptr<loop_share[]> shares;
  alignas(kCacheLineBytes) cancellation cancelling;

  worksharing() noexcept { renew(kSharedLoops, true); }

  /// Makes it ready for another region after one that threads have left early: in the middle of
  /// loops, and one earlier than the other. Requires, and relaxed: as `renew`.
  void clean() noexcept;

  /// Makes it ready for another region, in which the last one has used `constructs` loops. Requires:
  /// no thread is in it. Relaxed: the next region's fork orders it.
  void renew(std::uint32_t constructs, bool had_singles) noexcept {
    for (std::uint32_t i = 0; i < constructs && i < kSharedLoops; ++i) {
      loops[i].construct.store(i, memory_order_relaxed);
    }
    if (had_singles) {
      singles.store(0, memory_order_relaxed);  // the fork orders it, as said above
    }
  }
};

/// Half-open range of iterations, counted from 0.
struct iterations {
  std::uint64_t first;
  std::uint64_t end;
};

/// How a loop is to be shared.
struct loop_wish {
  std::uint64_t count = 0;  ///< of iterations
  schedule_kind schedule = schedule_kind::statically;
  std::uint64_t chunk = 0;  ///< 0: not said
  bool is_ordered = false;
  bool one_by_one = false;  ///< iterations are not handed out together even to a thread alone
  bool is_shared = false;   ///< needs a `shared_loop` also where the schedule does not
  /// Dynamic: a thread may get iterations that come before those it has had.
  bool is_nonmonotonic = false;
  bool in_whole_chunks = false;  ///< guided: nobody gets a part of a chunk but of the last one

  /// Takes the schedule of schedule(runtime).
  void follow(const control_values& values) noexcept;
};

/// A thread's counts of loops, which are the same on all threads of a region where they meet.
struct loop_counts {
  std::uint32_t shared = 0;              ///< with a `shared_loop`, in this region
  loop_share::loop_number stealing = 0;  ///< the last one with shares that are stolen from
};

/// One thread's side of the loop that it is in. A region's worksharing constructs do not nest, so a
/// thread has one of them for each region that it is in.
class loop_part {
 public:
  // Each region begins with one on each thread: nothing is written that `enter` writes anyway.
  // NOLINTNEXTLINE(*-member-init)
  loop_part() noexcept {}

  /// Enters a loop as thread `number` of `size`. May wait for other threads: see `shared_loop`.
  void enter(const loop_wish& wish, worksharing* shared, loop_counts& counts, std::uint32_t number,
             std::uint32_t size) noexcept;

  /// Takes the next iterations for this thread. Returns false if there are none left.
  bool next(iterations& taken) noexcept;

  /// Zeroed memory of the construct, which the first caller allocates and the last to leave frees.
  /// Ends the program if there is none.
  void* memory(std::size_t bytes) noexcept;

  /// Leaves the loop. Without effect if the thread has left it already.
  void leave() noexcept;

  /// Whether the region is cancelled.
  [[nodiscard]] bool is_cancelled() const noexcept {
    return region_ != nullptr && region_->cancelling.is_cancelled();
  }

  /// Returns when the ordered part of the iterations that `next` has returned last may run, or the
  /// region is cancelled.
  void wait_for_order() const noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return wish_.count; }
  [[nodiscard]] shared_loop* shared() noexcept { return shared_; }

  /// How compiled code counts: the bounds that belong to iteration 0 and to a step. Kept here
  /// because only the call that enters the loop knows them.
  std::uint64_t origin;
  std::uint64_t step;
  std::uint64_t bound;  ///< that the program wrote

 private:
  bool next_static(iterations& taken) noexcept;
  bool next_dynamic(iterations& taken) noexcept;
  bool next_guided(iterations& taken) noexcept;
  bool next_stealing(iterations& taken) noexcept;
  void enter_stealing(loop_counts& counts) noexcept;
  [[nodiscard]] loop_units first_units_of(std::uint32_t number) const noexcept;
  loop_units next_units() noexcept;
  bool hold_more() noexcept;
  void pass_order() noexcept;

  worksharing* region_;
  shared_loop* shared_ = nullptr;  // null: not in a loop, or in one without a shared part
  void* alone_ = nullptr;          // `memory`, where no thread shares it
  bool has_order_ = false;         // `current_` still has to be passed in order
  std::uint32_t construct_;
  std::uint32_t number_;
  std::uint32_t size_;
  std::uint64_t position_;  // static: chunks that this thread has had; alone: iterations
  iterations current_;      // the latest ones
  loop_wish wish_;
  // Of loops whose iterations are in the threads' shares:
  enum class last_unit : std::uint8_t { elsewhere, set_aside, returned } last_unit_;
  bool steals_ = false;  // whether this is one
  loop_share::loop_number loop_;
  std::uint32_t units_;  // of the loop
  std::uint64_t unit_;   // iterations of a unit
  iterations held_;      // taken from a share, not yet handed out
};

}  // namespace fg::omp::runtime
