// macOS's part of host/system.hpp: the topology from sysctl. No thread can be pinned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/host/macos_topology.hpp"
#include "finegrain/host/topology.hpp"

// As in <sys/sysctl.h>, which defines a hundred macros of short names.
extern "C" int sysctlbyname(const char* name, void* into, std::size_t* size, void* wanted,
                            std::size_t wanted_size);

namespace fg::inline FINEGRAIN_ABI {

/// Empty: macOS limits no process to a part of the CPUs' time. Any thread.
inline std::optional<double> quota_cpus() noexcept { return {}; }

namespace detail {

inline constexpr const char* kWhyNotPinned = "macOS has no thread affinity";

class cpu_mask {
 public:
  static constexpr int kCpus = macos::kMostCpus;

  void add(int cpu) noexcept { cpus_[static_cast<std::size_t>(cpu)] = true; }
  [[nodiscard]] bool holds(int cpu) const noexcept { return cpus_[static_cast<std::size_t>(cpu)]; }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(cpus_.count()); }

 private:
  std::bitset<kCpus> cpus_;
};

namespace macos {

/// Numbers that sysctl returns, 4 bytes or any count of 8.
class sysctl_answer {
 public:
  explicit sysctl_answer(const char* name) noexcept {
    std::size_t size = sizeof numbers_;
    if (sysctlbyname(name, numbers_.data(), &size, nullptr, 0) == 0) {
      const bool is_short = size == sizeof(std::uint32_t);  // the low half: all Macs are so
      count_ = is_short ? 1 : size / sizeof(std::uint64_t);
    }
  }

  [[nodiscard]] std::uint64_t front() const noexcept { return numbers_.front(); }  // 0: no answer
  [[nodiscard]] std::vector<std::uint64_t> all() const {
    return {numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(count_)};
  }

 private:
  std::array<std::uint64_t, 16> numbers_{};
  std::size_t count_ = 0;
};

/// The error of each try to pin a thread: a kind of function_not_supported that says why.
class pinning_refused final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "finegrain"; }
  [[nodiscard]] std::string message(int /*value*/) const override { return kWhyNotPinned; }
  [[nodiscard]] std::error_condition default_error_condition(
      int /*value*/) const noexcept override {
    return std::errc::function_not_supported;
  }
};

inline std::error_code refuse_pinning() noexcept {
  static const auto* const category = new pinning_refused;  // never freed: for static destructors
  return {1, *category};
}

}  // namespace macos

/// Every thread may run on all.
inline cpu_mask usable_mask() noexcept {
  cpu_mask all;
  const std::uint64_t count = macos::sysctl_answer{"hw.logicalcpu"}.front();
  for (int cpu = 0; cpu < cpu_mask::kCpus && static_cast<std::uint64_t>(cpu) < count; ++cpu) {
    all.add(cpu);
  }
  return all;
}

inline std::error_code set_mask(std::thread::native_handle_type /*thread*/,
                                const cpu_mask& /*mask*/) noexcept {
  return macos::refuse_pinning();
}
inline std::error_code set_own_mask(const cpu_mask& /*mask*/) noexcept {
  return macos::refuse_pinning();
}

/// The numbers of CPUs are ours (macos_topology.hpp).
inline int running_cpu() noexcept { return -1; }

inline topology read_own_topology() {
  return macos::make_topology(
      [](const std::string& name) { return macos::sysctl_answer{name.c_str()}.all(); });
}

class throttle_watch {
 public:
  [[nodiscard]] bool throttled_since_last_look() noexcept { return false; }
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
