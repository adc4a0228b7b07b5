// A set of CPUs of any number, as the system takes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fg::omp::runtime {

/// Throws std::bad_alloc.
class cpu_set {
 public:
  cpu_set() : words_(bytes() / sizeof(unsigned long)) {}

  /// One more than the largest number of a CPU: no fewer than the C library's own sets hold.
  static int most() noexcept {
    static const int count =
        static_cast<int>(std::max<long>(sysconf(_SC_NPROCESSORS_CONF), CPU_SETSIZE));
    return count;
  }

  /// The CPUs of the calling thread; all that it may use if nobody has bound it.
  static cpu_set of_caller() {
    cpu_set made;
    static_cast<void>(sched_getaffinity(0, bytes(), made.system()));
    return made;
  }
  /// Binds a thread of this process to it; returns 0, or the system's number of an error.
  [[nodiscard]] int bind(pthread_t thread) const noexcept {
    return pthread_setaffinity_np(thread, bytes(), system());
  }

  [[nodiscard]] bool has(int cpu) const noexcept {
    return cpu >= 0 && cpu < most() &&
           CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes(), system());
  }
  void add(int cpu) noexcept { CPU_SET_S(static_cast<std::size_t>(cpu), bytes(), system()); }
  void remove(int cpu) noexcept { CPU_CLR_S(static_cast<std::size_t>(cpu), bytes(), system()); }
  [[nodiscard]] int count() const noexcept { return CPU_COUNT_S(bytes(), system()); }

  bool operator==(const cpu_set&) const = default;

 private:
  static std::size_t bytes() noexcept { return CPU_ALLOC_SIZE(static_cast<std::size_t>(most())); }
  [[nodiscard]] const cpu_set_t* system() const noexcept {
    return reinterpret_cast<const cpu_set_t*>(words_.data());
  }
  cpu_set_t* system() noexcept { return reinterpret_cast<cpu_set_t*>(words_.data()); }

  std::vector<unsigned long> words_;
};

}  // namespace fg::omp::runtime
