// macOS's quality-of-service classes, and which of them stands for a scheduling class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"
#include "finegrain/thread/scheduling.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::macos {

/// The system's qos_class_t. `background` and, on a busy machine, `utility` run on efficiency cores.
enum class qos : std::uint32_t {
  unspecified =
      0,  ///< of a thread that has left the classes, for instance by pthread_setschedparam
  background = 0x09,
  utility = 0x11,
  standard = 0x15,
  user_initiated = 0x19,
  user_interactive = 0x21
};

/// The class of a thread for which `wanted` was asked by a thread of class `creators`: a thread that
/// asks for nothing is `standard`, whatever its creator, and an app's main thread is
/// `user_interactive`.
constexpr qos qos_for(const scheduling& wanted, qos creators) noexcept {
  switch (wanted.kind) {
    case scheduling_class::normal:
      return qos::standard;
    case scheduling_class::batch:
      return qos::utility;
    case scheduling_class::idle:
      return qos::background;
    case scheduling_class::fifo:
    case scheduling_class::round_robin:
      return wanted.priority > 1 ? creators : qos::user_interactive;  // try_schedule says so
    default:
      return creators;
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail::macos
