// What happens to the queues of worker 0 while nobody is worker 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/core/asymmetric_fence.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg {

/// Lets other workers empty the queues of worker 0 when it gives no sign of life.
///
/// Worker 0 exists only during `pool::run`. A posted task that forks runs without it, and a policy
/// that pushes to everybody in turn leaves every n-th branch with a worker that may never come; an
/// answer to a request of worker 0 may come after it has left. So another worker that finds nothing
/// else, and has looked `kPatience` times without worker 0 having looked, takes its place for one
/// task. A worker 0 that runs something long meanwhile loses tasks by this, too, which does no
/// harm.
///
/// ## States: a lock with a favoured owner
///
///     worker 0                            deputy
///     O1 inside = true                    D1 exchange revoked to true; was it? another's, give up
///     O2 light fence                      D2 heavy fence
///     O3 revoked? then O5, nothing found  D3 inside? then D5, nothing found
///     O4 the critical section             D4 the critical section
///     O5 inside = false                   D5 revoked = false
///
/// O3 misses D1, or D3 misses O1, but not both (asymmetric_fence.hpp): never both inside. Both may
/// give up at once; both come again. Among deputies D1 decides.
///
/// ## Memory order
/// O5 releases and D3 acquires; D5 releases, O3 and D1 acquire: each critical section sees those
/// before. O5 releases after a vain O1, too: D3 may read that store instead of the one before.
class caller_seat {
 public:
  static constexpr std::uint32_t kPatience = 1000;

  explicit caller_seat(std::size_t workers) : watchers_(workers) {}

  /// Runs `section` as the owner of the queues of `worker`, unless that is worker 0 and a deputy is
  /// at work: then false. Not nested. On the worker's own thread.
  // Inlined: as a call it took 15 to 17 instructions more in xqueue_wait and _nowait, whose push
  // and pop together take 196 to 223 (clang 19, x86-64, one and two workers).
  template <class Section>
  [[gnu::always_inline]] bool own(std::size_t worker, Section section) noexcept {
    if (worker != 0) {
      section();
      return true;
    }
    // Relaxed: a sign that others see late makes them a deputy in vain. One writer.
    signs_.store(signs_.load(memory_order_relaxed) + 1, memory_order_relaxed);
    inside_.store(true, memory_order_relaxed);  // O1; ordered by O2
    asymmetric_ ? asymmetric_fence::light_fence() : asymmetric_fence::full_fence();
    const bool entered = !revoked_.load(memory_order_acquire);  // O3, pairs with D5
    if (entered) {
      section();
    }
    inside_.store(false, memory_order_release);  // O5, pairs with D3
    return entered;
  }

  /// The task that `take` takes, null if none, as the owner of the queues of `worker`: see `own`.
  template <class Take>
  pool_task* take_as_owner(std::size_t worker, Take take) noexcept {
    pool_task* task = nullptr;
    own(worker, [&] { task = take(); });
    return task;
  }

  /// The task that `take` takes, null if none, in the place of worker 0 if that seems to be away.
  /// Any other worker, on its own thread, whenever it finds nothing else to do.
  template <class Take>
  pool_task* take_as_deputy(std::size_t worker, Take take) noexcept {
    if (worker == 0 || !lost_patience(watchers_[worker])) {
      return nullptr;
    }
    // D1, pairs with D5. A release is not needed: D2.
    if (revoked_.exchange(true, memory_order_acquire)) {
      return nullptr;
    }
    asymmetric_ ? asymmetric_fence::heavy_fence() : asymmetric_fence::full_fence();
    pool_task* task = nullptr;
    if (!inside_.load(memory_order_acquire)) {  // D3, pairs with O5
      task = take();
      // Goes on at once where there was one.
      watchers_[worker].looks = task != nullptr ? kPatience : 0;
    }
    revoked_.store(false, memory_order_release);  // D5, pairs with O3 and D1
    return task;
  }

 private:
  struct alignas(kCacheLineBytes) watcher {
    std::uint64_t seen = 0;
    std::uint32_t looks = 0;
  };

  bool lost_patience(watcher& own) noexcept {
    // Relaxed: a sign that is seen late makes a deputy in vain.
    const std::uint64_t signs = signs_.load(memory_order_relaxed);
    if (signs != own.seen) {
      own = {.seen = signs, .looks = 0};
      return false;
    }
    if (own.looks < kPatience) {
      ++own.looks;
      return false;
    }
    return true;
  }

  bool asymmetric_ = asymmetric_fence::available();
  std::vector<watcher> watchers_;
  alignas(kCacheLineBytes) atomic<std::uint64_t> signs_{0};
  atomic<bool> inside_{false};
  alignas(kCacheLineBytes) atomic<bool> revoked_{false};
};

}  // namespace fg
