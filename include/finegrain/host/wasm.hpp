// WebAssembly's part of host/system.hpp, under Emscripten: how many CPUs there are, and no more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <optional>
#include <system_error>
#include <thread>

#include "finegrain/core/config.hpp"
#include "finegrain/host/topology.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Empty: neither browsers nor Node report a limit. Any thread.
inline std::optional<double> quota_cpus() noexcept { return {}; }

namespace detail {

inline constexpr const char* kWhyNotPinned = "WebAssembly has no thread affinity";

class cpu_mask {
 public:
  static constexpr int kCpus = 1024;

  void add(int cpu) noexcept { cpus_[static_cast<std::size_t>(cpu)] = true; }
  [[nodiscard]] bool holds(int cpu) const noexcept { return cpus_[static_cast<std::size_t>(cpu)]; }
  [[nodiscard]] int count() const noexcept { return static_cast<int>(cpus_.count()); }

 private:
  std::bitset<kCpus> cpus_;
};

namespace wasm {

/// As navigator.hardwareConcurrency has it.
inline int count_cpus() noexcept {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, cpu_mask::kCpus);
}

inline std::error_code refuse_pinning() noexcept {
  return std::make_error_code(std::errc::function_not_supported);
}

}  // namespace wasm

/// Every thread may run on all.
inline cpu_mask usable_mask() noexcept {
  cpu_mask all;
  for (int cpu = 0; cpu < wasm::count_cpus(); ++cpu) {
    all.add(cpu);
  }
  return all;
}

inline std::error_code set_mask(std::thread::native_handle_type /*thread*/,
                                const cpu_mask& /*mask*/) noexcept {
  return wasm::refuse_pinning();
}
inline std::error_code set_own_mask(const cpu_mask& /*mask*/) noexcept {
  return wasm::refuse_pinning();
}

inline int running_cpu() noexcept { return -1; }

/// What the CPUs share is not known.
inline topology read_own_topology() {
  topology machine;
  for (int cpu = 0; cpu < wasm::count_cpus(); ++cpu) {
    machine.cpus.push_back({.id = cpu});
  }
  machine.source = "navigator.hardwareConcurrency";
  return machine;
}

class throttle_watch {
 public:
  [[nodiscard]] bool throttled_since_last_look() noexcept { return false; }
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
