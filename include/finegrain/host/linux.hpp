// Linux's part of host/system.hpp: CPU masks; the topology from sysfs; quotas from cgroups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sched.h>

#include <array>
#include <cstddef>
#include <system_error>
#include <thread>

#include "finegrain/core/config.hpp"
#include "finegrain/host/cpu_quota.hpp"
#include "finegrain/host/sysfs_topology.hpp"
#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

inline constexpr const char* kWhyNotPinned = nullptr;

/// A set of CPUs. The kernel supports at most 2^16 CPUs, a single cpu_set_t ends at CPU 1023. 8 KiB
/// on the stack, so that pinning a thread allocates no memory.
class cpu_mask {
 public:
  static constexpr int kCpus = 1 << 16;

  cpu_mask() noexcept { CPU_ZERO_S(bytes(), get()); }
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof sets_; }
  [[nodiscard]] cpu_set_t* get() noexcept { return sets_.data(); }
  [[nodiscard]] const cpu_set_t* get() const noexcept { return sets_.data(); }
  void add(int cpu) noexcept { CPU_SET_S(static_cast<std::size_t>(cpu), bytes(), get()); }
  [[nodiscard]] bool holds(int cpu) const noexcept {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes(), get()) != 0;
  }
  [[nodiscard]] int count() const noexcept { return CPU_COUNT_S(bytes(), get()); }

 private:
  std::array<cpu_set_t, kCpus / CPU_SETSIZE> sets_;
};

inline cpu_mask usable_mask() noexcept {
  cpu_mask mask;
  static_cast<void>(sched_getaffinity(0, mask.bytes(), mask.get()));  // on failure it stays empty
  return mask;
}

inline std::error_code set_mask(std::thread::native_handle_type thread,
                                const cpu_mask& mask) noexcept {
  return {pthread_setaffinity_np(thread, mask.bytes(), mask.get()), std::system_category()};
}

inline std::error_code set_own_mask(const cpu_mask& mask) noexcept {
  return set_mask(pthread_self(), mask);
}

inline int running_cpu() noexcept { return sched_getcpu(); }

inline topology read_own_topology() { return read_sysfs_topology(); }

}  // namespace fg::inline FINEGRAIN_ABI::detail
