// Which CPUs a thread may use, and tying a thread to one.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
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

namespace detail {

/// What a thread could use before it was pinned by `pin_this_thread`. Trivially destructible, so
/// that it is still there in static destructors; CPUs from 1024 on are not remembered.
class remembered_cpus {
 public:
  void remember(const std::vector<int>& cpus) noexcept {
    for (const int cpu : cpus) {
      const auto bit = static_cast<std::size_t>(cpu);
      if (bit < kBits * kWords) {
        words_[bit / kBits] |= std::uint64_t{1} << (bit % kBits);
      }
    }
  }
  [[nodiscard]] std::vector<int> cpus() const {
    std::vector<int> found;
    for (std::size_t bit = 0; bit < kBits * kWords; ++bit) {
      if ((words_[bit / kBits] >> (bit % kBits) & 1) != 0) {
        found.push_back(static_cast<int>(bit));
      }
    }
    return found;
  }
  [[nodiscard]] bool empty() const noexcept {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
  }

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::size_t kWords = 16;
  std::array<std::uint64_t, kWords> words_{};
};

inline remembered_cpus& cpus_before_pinning() noexcept {
  constinit static thread_local remembered_cpus before;
  return before;
}

}  // namespace detail

/// Ties the calling thread to `cpu`. No error, or why not (no such CPU, not in the cpuset).
/// Threads that it creates later inherit the mask, but for those that finegrain makes: these may
/// use what the thread could before (`allowed_cpus`).
inline std::error_code pin_this_thread(int cpu) {
  const std::vector<int> before = usable_cpus();
  const std::error_code error = detail::pin(pthread_self(), cpu);
  if (!error && detail::cpus_before_pinning().empty()) {
    detail::cpus_before_pinning().remember(before);
  }
  return error;
}

/// The CPUs that threads made for the calling one may use: its own `usable_cpus`, or if it was tied
/// to one of them by `pin_this_thread`, those from before. Otherwise as `usable_cpus`.
inline std::vector<int> allowed_cpus() {
  const detail::remembered_cpus& before = detail::cpus_before_pinning();
  const std::vector<int> now = usable_cpus();
  return now.size() > 1 || before.empty() ? now : before.cpus();
}

/// Says that the threads made for the calling one may use `cpus`, though it is, or will be, tied
/// to fewer by somebody else: for threads that finegrain makes. Once a thread.
inline void set_allowed_cpus(const std::vector<int>& cpus) noexcept {
  detail::cpus_before_pinning().remember(cpus);
}

/// Ties `thread` to `cpu`. Requires: it has not ended. No error, or why not.
inline std::error_code pin_thread(std::thread& thread, int cpu) {
  return detail::pin(thread.native_handle(), cpu);
}

/// The CPU that the caller runs on now, or -1 where the system does not tell. May be out of date
/// when it returns, unless the thread is tied to one CPU.
inline int current_cpu() noexcept { return sched_getcpu(); }

#else  // placement on other systems is not offered; everything runs, unpinned

inline std::vector<int> usable_cpus() { return {}; }
inline std::vector<int> allowed_cpus() { return {}; }
inline void set_allowed_cpus(const std::vector<int>&) noexcept {}
inline std::error_code pin_this_thread(int) {
  return std::make_error_code(std::errc::function_not_supported);
}
inline std::error_code pin_thread(std::thread&, int) {
  return std::make_error_code(std::errc::function_not_supported);
}
inline int current_cpu() noexcept { return -1; }

#endif

}  // namespace fg
