// Which CPUs a thread may use, and pinning a thread to one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/host/system.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// The CPUs that the calling thread may run on, ascending. Empty if the system does not report
/// them. Any thread may call it. Throws std::bad_alloc.
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

/// The CPUs that a thread could use before `pin_this_thread` pinned it. Trivially destructible, so
/// that static destructors can still use it. CPUs from 1024 on are not remembered.
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

/// Calls `set` with a mask of `cpu` alone; returns an error if no such CPU can exist.
template <class Set>
std::error_code with_mask_of(int cpu, Set set) noexcept {
  if (cpu < 0 || cpu >= cpu_mask::kCpus) {
    return std::make_error_code(std::errc::invalid_argument);
  }
  cpu_mask mask;
  mask.add(cpu);
  return set(mask);
}

}  // namespace detail

/// Pins the calling thread to `cpu`. Returns why on failure (no such CPU, not in the cpuset).
/// Threads that it creates later inherit the mask, except finegrain's own: these may use what the
/// thread could use before (`allowed_cpus`).
inline std::error_code pin_this_thread(int cpu) noexcept {
  const detail::cpu_mask before = detail::usable_mask();
  const std::error_code error = detail::with_mask_of(cpu, detail::set_own_mask);
  if (!error && detail::cpus_before_pinning().empty()) {
    for (int each = 0; each < detail::remembered_cpus::kCpus; ++each) {
      if (before.holds(each)) {
        detail::cpus_before_pinning().remember(each);
      }
    }
  }
  return error;
}

/// The CPUs that threads made for the calling one may use: its own `usable_cpus` or, if
/// `pin_this_thread` pinned it to one of them, those from before. Otherwise like `usable_cpus`.
inline std::vector<int> allowed_cpus() {
  const detail::remembered_cpus& before = detail::cpus_before_pinning();
  const std::vector<int> now = usable_cpus();
  return now.size() > 1 || before.empty() ? now : before.cpus();
}

/// Declares that the threads made for the calling one may use `cpus`, even if other code pins it to
/// fewer, now or later. For threads that finegrain makes. Once per thread.
inline void set_allowed_cpus(const std::vector<int>& cpus) noexcept {
  for (const int cpu : cpus) {
    detail::cpus_before_pinning().remember(cpu);
  }
}

/// Lets the calling thread, one of finegrain's, also run on all of `cpus`, in case the thread that
/// made it was pinned. If the system refuses, nothing changes. At most two system calls.
inline void untie_this_thread(const std::vector<int>& cpus) noexcept {
  detail::cpu_mask mask = detail::usable_mask();  // only one: a thread's stack may be small
  bool lacks_any = false;
  for (const int cpu : cpus) {
    lacks_any |= !mask.holds(cpu);
    mask.add(cpu);
  }
  if (lacks_any) {
    static_cast<void>(detail::set_own_mask(mask));
  }
}

/// Pins `thread` to `cpu`. Returns why on failure. Requires: it has not ended.
inline std::error_code pin_thread(std::thread& thread, int cpu) noexcept {
  return detail::with_mask_of(cpu, [&thread](const detail::cpu_mask& mask) {
    return detail::set_mask(thread.native_handle(), mask);
  });
}

/// The CPU that the caller is running on, or -1 if the system does not report it. May be out of
/// date on return, unless the thread is pinned to one CPU.
inline int current_cpu() noexcept { return detail::running_cpu(); }

}  // namespace fg::inline FINEGRAIN_ABI
