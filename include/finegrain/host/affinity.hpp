// Which CPUs a thread may use, and tying a thread to one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>
#include <thread>
#include <vector>

#include "finegrain/core/config.hpp"

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#endif

namespace fg::inline FINEGRAIN_ABI {

#if defined(__linux__)

namespace detail {

/// A CPU mask as long as any: the kernel never holds more than 2^16 CPUs, where cpu_set_t alone
/// ends at CPU 1023. 8 KiB on the stack, so that a thread is tied without memory to be had.
class cpu_mask {
 public:
  static constexpr int kCpus = 1 << 16;

  cpu_mask() noexcept { CPU_ZERO_S(bytes(), get()); }
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof sets_; }
  [[nodiscard]] cpu_set_t* get() noexcept { return sets_.data(); }
  void add(int cpu) noexcept { CPU_SET_S(static_cast<std::size_t>(cpu), bytes(), get()); }
  [[nodiscard]] bool holds(int cpu) const noexcept {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes(), sets_.data()) != 0;
  }
  [[nodiscard]] int count() const noexcept { return CPU_COUNT_S(bytes(), sets_.data()); }

 private:
  std::array<cpu_set_t, kCpus / CPU_SETSIZE> sets_;
};

/// Those of the calling thread; none where the system does not tell.
inline cpu_mask usable_mask() noexcept {
  cpu_mask mask;
  static_cast<void>(sched_getaffinity(0, mask.bytes(), mask.get()));  // if it fails it stays empty
  return mask;
}

inline std::error_code pin(pthread_t thread, int cpu) noexcept {
  if (cpu < 0 || cpu >= cpu_mask::kCpus) {
    return std::make_error_code(std::errc::invalid_argument);
  }
  cpu_mask mask;
  mask.add(cpu);
  return {pthread_setaffinity_np(thread, mask.bytes(), mask.get()), std::system_category()};
}

}  // namespace detail

/// The CPUs that the calling thread may run on, ascending. Empty where the system does not tell.
/// Any thread may call it. Throws std::bad_alloc.
inline std::vector<int> usable_cpus() {
  const detail::cpu_mask mask = detail::usable_mask();
  std::vector<int> cpus;
  const auto count = static_cast<std::size_t>(mask.count());
  cpus.reserve(count);
  for (int cpu = 0; cpus.size() != count; ++cpu) {
    if (mask.holds(cpu)) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

namespace detail {

/// What a thread could use before it was pinned by `pin_this_thread`. Trivially destructible, so
/// that it is still there in static destructors; CPUs from 1024 on are not remembered.
class remembered_cpus {
 public:
  static constexpr int kCpus = 1024;

  void remember(int cpu) noexcept {
    if (cpu < kCpus) {
      const auto bit = static_cast<std::size_t>(cpu);
      words_[bit / kBits] |= std::uint64_t{1} << (bit % kBits);
    }
  }
  [[nodiscard]] std::vector<int> cpus() const {
    std::vector<int> found;
    for (std::size_t bit = 0; bit < kCpus; ++bit) {
      if ((words_[bit / kBits] >> (bit % kBits) & 1) != 0) {
        found.push_back(static_cast<int>(bit));
      }
    }
    return found;
  }
  [[nodiscard]] bool empty() const noexcept {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::array<std::uint64_t, kCpus / kBits> words_{};
};

inline remembered_cpus& cpus_before_pinning() noexcept {
  constinit static thread_local remembered_cpus before;
  return before;
}

}  // namespace detail

/// Ties the calling thread to `cpu`. No error, or why not (no such CPU, not in the cpuset).
/// Threads that it creates later inherit the mask, but for those that finegrain makes: these may
/// use what the thread could before (`allowed_cpus`).
inline std::error_code pin_this_thread(int cpu) noexcept {
  const detail::cpu_mask before = detail::usable_mask();
  const std::error_code error = detail::pin(pthread_self(), cpu);
  if (!error && detail::cpus_before_pinning().empty()) {
    for (int each = 0; each < detail::remembered_cpus::kCpus; ++each) {
      if (before.holds(each)) {
        detail::cpus_before_pinning().remember(each);
      }
    }
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
  for (const int cpu : cpus) {
    detail::cpus_before_pinning().remember(cpu);
  }
}

/// Lets the calling thread, one of finegrain's, run on all of `cpus`, too, where the thread that
/// has made it was tied. Where the system refuses it stays as it is. At most two system calls.
inline void untie_this_thread(const std::vector<int>& cpus) noexcept {
  detail::cpu_mask mask = detail::usable_mask();  // one: a thread's stack may be small
  bool lacks_any = false;
  for (const int cpu : cpus) {
    lacks_any |= !mask.holds(cpu);
    mask.add(cpu);
  }
  if (lacks_any) {
    static_cast<void>(sched_setaffinity(0, mask.bytes(), mask.get()));
  }
}

/// Ties `thread` to `cpu`. Requires: it has not ended. No error, or why not.
inline std::error_code pin_thread(std::thread& thread, int cpu) noexcept {
  return detail::pin(thread.native_handle(), cpu);
}

/// The CPU that the caller runs on now, or -1 where the system does not tell. May be out of date
/// when it returns, unless the thread is tied to one CPU.
inline int current_cpu() noexcept { return sched_getcpu(); }

#else  // placement on other systems is not offered; everything runs, unpinned

inline std::vector<int> usable_cpus() { return {}; }
inline std::vector<int> allowed_cpus() { return {}; }
inline void set_allowed_cpus(const std::vector<int>&) noexcept {}
inline void untie_this_thread(const std::vector<int>&) noexcept {}
inline std::error_code pin_this_thread(int) noexcept {
  return std::make_error_code(std::errc::function_not_supported);
}
inline std::error_code pin_thread(std::thread&, int) noexcept {
  return std::make_error_code(std::errc::function_not_supported);
}
inline int current_cpu() noexcept { return -1; }

#endif

}  // namespace fg::inline FINEGRAIN_ABI
