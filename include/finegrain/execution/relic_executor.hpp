// A relic as a classic executor.
#pragma once

#include <type_traits>
#include <utility>

#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A handle to a relic with `execute(f)`. Cheap to copy; two are equal when they name one relic.
/// Requires: the relic outlives it.
template <relic_like Relic>
class basic_relic_executor {
 public:
  explicit basic_relic_executor(Relic& relic) noexcept : relic_{&relic} {}

  /// `relic.submit(f)`, with its limits: at most 48 bytes, no allocation, in order; exceptions go
  /// to `relic.wait()`. In a task of the relic it calls `f` at once. Requires: the relic's main
  /// thread, or a task of the relic.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void execute(F&& f) const {
    if (relic_->called_by_task()) {
      [own = std::decay_t<F>(std::forward<F>(f))]() mutable { static_cast<void>(own()); }();
    } else {
      relic_->submit(std::forward<F>(f));
    }
  }

  [[nodiscard]] Relic& relic() const noexcept { return *relic_; }

  friend bool operator==(const basic_relic_executor&,
                         const basic_relic_executor&) noexcept = default;

 private:
  Relic* relic_;
};

/// That of the relic with the default policy.
using relic_executor = basic_relic_executor<relic>;

}  // namespace fg::inline FINEGRAIN_ABI
