#include "throttle.hpp"

#include <algorithm>

#include "recall.hpp"
#include "settings.hpp"

namespace fg::omp::detail {

// `throttled_from` is zero while the thread throttles, so that one comparison does for both; and
// at first, so that the first task finds out whether it ever will.
[[gnu::noinline]] bool still_throttled(thread& self) noexcept {
  if (!settings::instance().throttles()) {
    self.throttled_from = ~std::uint64_t{0};
    return false;
  }
  // A look may fetch lines that others write to: the longer it was in vain, the rarer.
  constexpr std::uint32_t kLeastRunsBetweenLooks = 8;
  constexpr std::uint32_t kMostRunsBetweenLooks = 64;
  const bool was_throttled = self.throttled_from == 0;
  if (was_throttled && self.looks_in-- > 0) {
    return true;
  }
  self.look_interval = was_throttled ? std::min(self.look_interval * 2, kMostRunsBetweenLooks)
                                     : kLeastRunsBetweenLooks;
  self.looks_in = self.look_interval;
  if (self.inner->group != nullptr && self.inner->group->recalls()) {
    recall::sweep(self);
  }
  self.memory.collect();
  const bool relieved = self.memory.pending() <= kRelievedAtPending;
  self.throttled_from = relieved ? kMostPending : 0;
  return !relieved;
}

}  // namespace fg::omp::detail
