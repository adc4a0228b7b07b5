// What a thread on macOS sets itself, because no other thread can: its name and its class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <functional>

#include "finegrain/core/config.hpp"
#include "finegrain/thread/macos_qos.hpp"
#include "finegrain/thread/scheduling.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::macos {

/// Made by the thread that creates another, set by that one.
class thread_settings {
 public:
  thread_settings(const char* name, const scheduling& wanted) noexcept
      : class_{qos_for(wanted, static_cast<qos>(qos_class_self()))} {
    for (std::size_t i = 0; i + 1 < name_.size() && name[i] != '\0'; ++i) {
      name_[i] = name[i];
    }
  }

  /// Not refused: a new thread is in some class.
  void set() const noexcept {
    pthread_setname_np(name_.data());
    if (class_ != qos::unspecified) {
      pthread_set_qos_class_self_np(static_cast<qos_class_t>(class_), 0);
    }
  }

 private:
  std::array<char, 16> name_{};  // `kept_name` keeps 15
  qos class_;
};

/// The beginning of a thread that then calls `routine` with `arguments`.
template <class Routine, class... Arguments>
void live(thread_settings settings, Routine routine, Arguments... arguments) {
  settings.set();
  std::invoke(routine, arguments...);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail::macos
