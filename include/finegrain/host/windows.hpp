// Windows's part of host/system.hpp: CPU masks by processor groups; the topology; quotas of jobs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "finegrain/core/windows_api.hpp"
#include "finegrain/host/topology.hpp"
#include "finegrain/host/windows_topology.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

inline constexpr const char* kWhyNotPinned = nullptr;

/// A set of CPUs, a word for each processor group.
class cpu_mask {
 public:
  static constexpr int kCpus = 2048;  // the most that Windows supports (Server 2022)

  void add(int cpu) noexcept { word_of(cpu) |= bit_of(cpu); }
  void add(const windows::group_mask& group) noexcept {
    windows::for_each_cpu(group, [this](int cpu) { add(cpu); });
  }
  [[nodiscard]] bool holds(int cpu) const noexcept {
    return (words_[index_of(cpu)] & bit_of(cpu)) != 0;
  }
  [[nodiscard]] int count() const noexcept {
    int cpus = 0;
    for (const std::uint64_t word : words_) {
      cpus += std::popcount(word);
    }
    return cpus;
  }

  /// Those of its first group that has some.
  [[nodiscard]] windows::group_mask first_group() const noexcept {
    const auto first = std::ranges::find_if(words_, [](std::uint64_t word) { return word != 0; });
    if (first == words_.end()) {
      return {};
    }
    return {.cpus = *first, .group = static_cast<std::uint16_t>(first - words_.begin())};
  }

 private:
  static std::size_t index_of(int cpu) noexcept {
    return static_cast<std::size_t>(cpu) / windows::kGroupCpus;
  }
  static std::uint64_t bit_of(int cpu) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(cpu % windows::kGroupCpus);
  }
  std::uint64_t& word_of(int cpu) noexcept { return words_[index_of(cpu)]; }

  std::array<std::uint64_t, kCpus / windows::kGroupCpus> words_{};
};

namespace windows {

/// All CPUs of a group.
inline group_mask whole_group(std::uint16_t group) noexcept {
  const unsigned long count = GetActiveProcessorCount(group);
  const std::uint64_t all = ~std::uint64_t{0};
  return {.cpus = count == 0 ? 0 : all >> (kGroupCpus - std::min<unsigned long>(count, kGroupCpus)),
          .group = group};
}

inline std::error_code last_error() noexcept {
  return {static_cast<int>(GetLastError()), std::system_category()};
}

inline std::error_code set_group(void* thread, const cpu_mask& mask) noexcept {
  const group_mask wanted = mask.first_group();
  const auto* const cpus = reinterpret_cast<const _GROUP_AFFINITY*>(&wanted);
  return SetThreadGroupAffinity(thread, cpus, nullptr) != 0 ? std::error_code{} : last_error();
}

/// All that GetLogicalProcessorInformationEx reports; empty if it fails. Throws std::bad_alloc.
inline std::vector<std::byte> read_relations() {
  using function = int __stdcall(int relation, void* into, unsigned long* bytes);
  constexpr int kAll = 0xffff;
  auto* const read = find_function<function>(L"kernel32.dll", "GetLogicalProcessorInformationEx");
  unsigned long size = 0;
  std::vector<std::byte> bytes;
  if (read != nullptr && read(kAll, nullptr, &size) == 0) {
    bytes.resize(size);
    bytes.resize(read(kAll, bytes.data(), &size) != 0 ? size : 0);  // CPUs may have come meanwhile
  }
  return bytes;
}

/// JOBOBJECT_CPU_RATE_CONTROL_INFORMATION: how much CPU time a job may use.
struct job_cpu_rate {
  static constexpr std::uint32_t kEnabled = 1;
  static constexpr std::uint32_t kHardCap = 4;
  static constexpr std::uint32_t kMinAndMax = 16;

  std::uint32_t flags = 0;
  std::uint32_t rate = 0;  // of 10,000, of the time of all CPUs; with kMinAndMax two halves

  /// In CPUs of a machine with `cpus`; empty if the job has no limit, or only a weight.
  [[nodiscard]] constexpr std::optional<double> limit(unsigned long cpus) const noexcept {
    const bool has_limit = (flags & kEnabled) != 0 && (flags & (kHardCap | kMinAndMax)) != 0;
    const std::uint32_t of_10000 = (flags & kMinAndMax) != 0 ? rate >> 16U : rate;
    if (!has_limit || of_10000 == 0 || of_10000 >= 10'000) {
      return std::nullopt;
    }
    return static_cast<double>(of_10000) / 10'000 * static_cast<double>(cpus);
  }
};

}  // namespace windows

/// Where the calling thread may run. A thread without an affinity of its own may be moved to any
/// group.
inline cpu_mask usable_mask() noexcept {
  cpu_mask usable;
  windows::group_mask own;
  if (GetThreadGroupAffinity(GetCurrentThread(), reinterpret_cast<_GROUP_AFFINITY*>(&own)) == 0) {
    return usable;
  }
  usable.add(own);
  if (own.cpus == windows::whole_group(own.group).cpus) {
    const std::uint16_t groups = GetActiveProcessorGroupCount();
    for (std::uint16_t group = 0; group < groups; ++group) {
      usable.add(windows::whole_group(group));
    }
  }
  return usable;
}

/// A thread runs in one group: of CPUs in several it gets those of the first.
inline std::error_code set_mask(std::thread::native_handle_type thread,
                                const cpu_mask& mask) noexcept {
  return windows::set_group(windows::thread_handle(thread), mask);
}

inline std::error_code set_own_mask(const cpu_mask& mask) noexcept {
  return windows::set_group(GetCurrentThread(), mask);
}

inline int running_cpu() noexcept {
  struct {
    std::uint16_t group = 0;
    std::uint8_t number = 0;
    std::uint8_t reserved = 0;
  } cpu;
  GetCurrentProcessorNumberEx(reinterpret_cast<_PROCESSOR_NUMBER*>(&cpu));
  return cpu.group * windows::kGroupCpus + cpu.number;
}

inline topology read_own_topology() { return windows::parse_topology(windows::read_relations()); }

/// Windows does not report that a job was stopped.
class throttle_watch {
 public:
  [[nodiscard]] bool throttled_since_last_look() noexcept { return false; }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail

namespace fg::inline FINEGRAIN_ABI {

/// How many CPUs' time the job of this process lets it use. Empty if it is in none, the job has no
/// limit, or the system does not say. Read at each call. Any thread.
inline std::optional<double> quota_cpus() noexcept {
  using detail::windows::job_cpu_rate;
  using function =
      int __stdcall(void* job, int what, void* into, unsigned long size, unsigned long* needed);
  constexpr int kCpuRate = 15;  // JobObjectCpuRateControlInformation
  constexpr unsigned short kAllGroups = 0xffff;
  static auto* const query =
      detail::windows::find_function<function>(L"kernel32.dll", "QueryInformationJobObject");
  job_cpu_rate rate;
  void* const own_job = nullptr;
  return query != nullptr && query(own_job, kCpuRate, &rate, sizeof rate, nullptr) != 0
             ? rate.limit(GetActiveProcessorCount(kAllGroups))
             : std::nullopt;
}

}  // namespace fg::inline FINEGRAIN_ABI
