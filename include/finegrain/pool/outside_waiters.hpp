// Where threads wait that are no workers.
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Any number of threads that sleep until what each of them waits for is done, and those who do it,
/// who pay one load while nobody sleeps.
///
/// ## Protocol
///
///     worker                              waiter
///     P1 complete something               S1 count itself, read the round
///     P2 light fence                      S2 heavy fence
///     P3 somebody counted? then           S3 done? then uncount itself, go on
///     P4 next round, wake all             S4 sleep while the round is the one read
///
/// S3 misses P1 or P3 misses S1, but not both (asymmetric_fence.hpp). P4 between S1 and S4 changes
/// the round, so that S4 does not sleep. All wake up, since nobody knows whose completion it was:
/// they are few, and wait for coarse things.
///
/// All functions: any thread. No locks.
class outside_waiters {
 public:
  outside_waiters() = default;
  outside_waiters(const outside_waiters&) = delete;
  outside_waiters& operator=(const outside_waiters&) = delete;

  /// To be called after something was completed.
  void tell() noexcept {
    asymmetric_ ? asymmetric_fence::light_fence() : asymmetric_fence::full_fence();  // P2
    if (waiting_.load(memory_order_relaxed) != 0) [[unlikely]] {  // P3, behind P1 by the fence
      // Sequentially consistent: as in sleep_gate, the standard library's notify may look for
      // waiters by a load that could pass a weaker store.
      round_.fetch_add(1, memory_order_seq_cst);
      round_.notify_all();
    }
  }

  /// Sleeps until `done()`, which reads with acquire what was completed.
  template <class Done>
  void wait(Done done) noexcept {
    waiting_.fetch_add(1, memory_order_relaxed);  // S1, ahead of S3 by the fence
    for (;;) {
      // Relaxed: a number, no more. Ahead of S3 by the fence.
      const std::uint32_t round = round_.load(memory_order_relaxed);
      asymmetric_ ? asymmetric_fence::heavy_fence() : asymmetric_fence::full_fence();  // S2
      if (done()) {
        break;
      }
      round_.wait(round, memory_order_relaxed);  // relaxed, as the load
    }
    waiting_.fetch_sub(1, memory_order_relaxed);  // seen late, it costs a needless wake-up
  }

 private:
  bool asymmetric_ = asymmetric_fence::available();
  atomic<std::uint32_t> waiting_{0};
  atomic<std::uint32_t> round_{0};
};

}  // namespace fg::inline FINEGRAIN_ABI
