// The shipped wait/wait.hpp, which also counts the looks for which the simulator has parked the
// thread: so its loops read the clock when they would have, and sleep when they would have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-include-next"
#define spin_wait shipped_spin_wait
#include_next "finegrain/wait/wait.hpp"
#undef spin_wait
#pragma clang diagnostic pop

#include <cstdint>

#include "sim/simulator/program.hpp"

namespace fg::inline FINEGRAIN_ABI {

template <wait_policy Policy = spin_pause>
class spin_wait : public shipped_spin_wait<Policy> {
 public:
  template <class Changed>
  bool operator()(const void* line, Changed&& changed) noexcept {
    Policy::relax(line, changed);
    return count_look();
  }
  bool operator()() noexcept {
    return operator()(nullptr, [] { return true; });
  }

  bool count_look() noexcept {
    bool has_read = shipped_spin_wait<Policy>::count_look();
    for (std::uint32_t more = sim::take_turns_parked(); more != 0; --more) {
      has_read = shipped_spin_wait<Policy>::count_look() || has_read;
    }
    return has_read;
  }
};

}  // namespace fg::inline FINEGRAIN_ABI
