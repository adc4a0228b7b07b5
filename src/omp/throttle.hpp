// When a thread's new tasks run at once.
#pragma once

#include <cstdint>

#include "thread.hpp"

namespace fg::omp {

/// OMPi's throttling (ompi-tasking-2012, section 2.1): a thread that has made this many tasks which
/// have not begun, or are with others, runs its tasks at once, until 30 % are free again. 256: as
/// many as the pool's task_blocks, for the same reason, that they fit into a first-level cache.
inline constexpr std::uint64_t kMostPending = 256;
inline constexpr std::uint64_t kRelievedAtPending = kMostPending * 7 / 10;

namespace detail {
bool still_throttled(thread& self) noexcept;
}  // namespace detail

/// False: the thread does not throttle, and need not begin to.
inline bool may_be_throttled(const thread& self) noexcept {
  return self.memory.pending() >= self.throttled_from;
}

/// Whether `submit` would run a task now: in a team of one, in a final task, and while the thread
/// throttles. Also the place where throttling begins and ends. The thread itself only.
inline bool runs_at_once(thread& self) noexcept {
  return self.inner->at_once || self.running->is(task::kFinal) ||
         (may_be_throttled(self) && detail::still_throttled(self));
}

}  // namespace fg::omp
