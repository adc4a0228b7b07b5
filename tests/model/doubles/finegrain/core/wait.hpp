// Loops that wait, as the model checker knows them: the shipped core/wait.hpp but for the clock.
#pragma once

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-include-next"
#define spin_wait shipped_spin_wait
#include_next "finegrain/core/wait.hpp"
#undef spin_wait
#pragma clang diagnostic pop

#include "checker/scenario.hpp"
#include "finegrain/core/pause.hpp"

namespace fg {

/// Time does not pass, so the budget of a loop is spent whenever the checker tries that.
template <wait_policy Policy = spin_pause>
class spin_wait {
 public:
  /// A loop that goes on for ever.
  template <class Changed>
  bool operator()(const void* /*line*/, Changed&& /*changed*/) noexcept {
    model::explorer::current()->look_again();
    return false;
  }
  bool operator()() noexcept {
    return operator()(nullptr, [] { return true; });
  }

  /// True when the budget is spent; otherwise not before what the loop has read has changed.
  bool count_look() noexcept {
    if (sleeps_left_here() == 0) {
      return false;  // the pause ahead of it has looked again
    }
    if (model::choose(2) == 1) {
      --sleeps_left_here();
      return true;
    }
    model::explorer::current()->look_again();
    return false;
  }
  [[nodiscard]] std::uint64_t waited_ticks() const noexcept { return ~std::uint64_t{0}; }
};

}  // namespace fg
