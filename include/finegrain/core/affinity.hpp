// Which CPUs a thread may use, and tying a thread to one.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#endif

namespace fg {

#if defined(__linux__)

namespace detail {

/// A CPU mask of any size: cpu_set_t alone ends at CPU 1023.
class cpu_mask {
 public:
  explicit cpu_mask(int cpus) : cpus_{cpus}, set_{CPU_ALLOC(static_cast<std::size_t>(cpus))} {
    if (set_ == nullptr) {
      throw std::bad_alloc{};
    }
    CPU_ZERO_S(bytes(), set_.get());
  }
  [[nodiscard]] int capacity() const noexcept { return cpus_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus_));
  }
  [[nodiscard]] cpu_set_t* get() const noexcept { return set_.get(); }
  void add(int cpu) noexcept { CPU_SET_S(static_cast<std::size_t>(cpu), bytes(), set_.get()); }
  [[nodiscard]] bool holds(int cpu) const noexcept {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes(), set_.get()) != 0;
  }

 private:
  struct free_set {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
  };
  int cpus_;
  std::unique_ptr<cpu_set_t, free_set> set_;
};

inline std::error_code pin(pthread_t thread, int cpu) {
  if (cpu < 0) {
    return std::make_error_code(std::errc::invalid_argument);
  }
  cpu_mask mask{cpu + 1};
  mask.add(cpu);
  return {pthread_setaffinity_np(thread, mask.bytes(), mask.get()), std::system_category()};
}

}  // namespace detail

/// The CPUs that the calling thread may run on, ascending. Empty where the system does not tell.
/// Any thread may call it. Throws std::bad_alloc.
inline std::vector<int> usable_cpus() {
  // The kernel refuses a mask shorter than its own; it never holds more than 2^16 CPUs.
  for (int capacity = 1024; capacity <= 1 << 16; capacity *= 2) {
    const detail::cpu_mask mask{capacity};
    if (sched_getaffinity(0, mask.bytes(), mask.get()) == 0) {
      std::vector<int> cpus;
      for (int cpu = 0; cpu < capacity; ++cpu) {
        if (mask.holds(cpu)) {
          cpus.push_back(cpu);
        }
      }
      return cpus;
    }
    if (errno != EINVAL) {
      break;
    }
  }
  return {};
}

/// Ties the calling thread to `cpu`. No error, or why not (no such CPU, not in the cpuset).
/// Threads that it creates later inherit the mask.
inline std::error_code pin_this_thread(int cpu) { return detail::pin(pthread_self(), cpu); }

/// Ties `thread` to `cpu`. Requires: it has not ended. No error, or why not.
inline std::error_code pin_thread(std::thread& thread, int cpu) {
  return detail::pin(thread.native_handle(), cpu);
}

/// The CPU that the caller runs on now, or -1 where the system does not tell. May be out of date
/// when it returns, unless the thread is tied to one CPU.
inline int current_cpu() noexcept { return sched_getcpu(); }

#else  // placement on other systems is not offered; everything runs, unpinned

inline std::vector<int> usable_cpus() { return {}; }
inline std::error_code pin_this_thread(int) {
  return std::make_error_code(std::errc::function_not_supported);
}
inline std::error_code pin_thread(std::thread&, int) {
  return std::make_error_code(std::errc::function_not_supported);
}
inline int current_cpu() noexcept { return -1; }

#endif

}  // namespace fg
