#include "throttle.hpp"

#include "recall.hpp"
#include "settings.hpp"

namespace fg::omp::detail {

// `throttled_from` is zero while the thread throttles, so that one comparison does for both.
[[gnu::noinline]] bool still_throttled(thread& self) noexcept {
  if (!settings::instance().throttles()) {
    self.throttled_from = ~std::uint64_t{0};
    return false;
  }
  constexpr std::uint32_t kRunsBetweenLooks = 8;  // a look may fetch lines that others write to
  if (self.throttled_from == 0 && self.looks_in-- > 0) {
    return true;
  }
  self.looks_in = kRunsBetweenLooks;
  if (self.inner->group != nullptr && self.inner->group->recalls()) {
    recall::sweep(self);
  }
  self.memory.collect();
  const bool relieved = self.memory.live() - self.own_running <= kRelievedAtPending;
  self.throttled_from = relieved ? kMostPending : 0;
  return !relieved;
}

}  // namespace fg::omp::detail
