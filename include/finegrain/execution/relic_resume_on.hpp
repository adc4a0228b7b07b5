// A coroutine moves to a relic's assistant.
#pragma once

#include "finegrain/core/config.hpp"
// And only then what has an error of its own before C++20.
#include <coroutine>

#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// What `resume_on(relic)` awaits.
template <relic_like Relic>
class [[nodiscard]] relic_hop : public std::suspend_always {
 public:
  explicit relic_hop(Relic& target) noexcept : relic_{&target} {}

  [[nodiscard]] bool await_ready() const noexcept { return relic_->called_by_task(); }
  void await_suspend(std::coroutine_handle<> caller) noexcept {
    relic_->submit([caller] { caller.resume(); });  // and this may be gone
  }

 private:
  Relic* relic_;
};

}  // namespace detail

/// `co_await fg::resume_on(relic)`: the coroutine goes on on the assistant, in order behind what
/// was submitted, as one task up to its end or its next suspension; `relic.wait()` waits for that.
/// It waits for space as `submit` does, and allocates nothing. Requires: the main thread. In a task
/// of the relic it goes on at once. What was written before is visible afterwards.
///
/// On the assistant the coroutine is a task and keeps to its rules: it may leave for a pool, or
/// end, but can not submit to this relic nor wait for it, and no `co_await` brings it back to the
/// main thread. In inline mode all that happens on the main thread, before `co_await` gives the
/// control back. An exception that leaves `resume` there goes to `relic.wait()`.
template <relic_like Relic>
detail::relic_hop<Relic> resume_on(Relic& target) noexcept {
  return detail::relic_hop<Relic>{target};
}

}  // namespace fg::inline FINEGRAIN_ABI
