// Processor features, read with CPUID.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <intrin.h>
#endif

namespace fg::inline FINEGRAIN_ABI {

/// The result of one CPUID query.
struct cpuid_registers {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

/// What finegrain needs to know about an x86 processor; all false on others.
struct cpuid_facts {
  bool hypervisor = false;  ///< runs in a virtual machine
  bool waitpkg = false;     ///< has UMONITOR and UMWAIT (Intel)
  bool mwaitx = false;      ///< has MONITORX and MWAITX (AMD)
};

/// Reads the facts with `cpuid(leaf, subleaf)`, which returns `cpuid_registers`. Queries only
/// leaves that the processor has: for any other leaf it returns the data of its last one.
///
/// Source: Intel SDM volume 2A, CPUID; AMD64 APM volume 3, appendix E. Both reserve the hypervisor
/// bit for hypervisors.
template <class Cpuid>
cpuid_facts read_cpuid_facts(Cpuid&& cpuid) {
  constexpr std::uint32_t kExtended = 0x8000'0000;
  const auto ecx_bit = [&](std::uint32_t leaf, int bit) {
    const std::uint32_t last = cpuid(leaf & kExtended, 0U).eax;
    return last >= leaf && (cpuid(leaf, 0U).ecx >> bit & 1U) != 0;
  };
  return {
      .hypervisor = ecx_bit(1, 31), .waitpkg = ecx_bit(7, 5), .mwaitx = ecx_bit(kExtended + 1, 29)};
}

namespace detail {

/// Executes CPUID; returns zeros on a processor without it.
inline cpuid_registers hardware_cpuid(std::uint32_t leaf, std::uint32_t subleaf) noexcept {
  cpuid_registers answer;
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
  asm volatile("cpuid"
               : "=a"(answer.eax), "=b"(answer.ebx), "=c"(answer.ecx), "=d"(answer.edx)
               : "a"(leaf), "c"(subleaf));
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
  int registers[4];
  __cpuidex(registers, static_cast<int>(leaf), static_cast<int>(subleaf));
  answer = {static_cast<std::uint32_t>(registers[0]), static_cast<std::uint32_t>(registers[1]),
            static_cast<std::uint32_t>(registers[2]), static_cast<std::uint32_t>(registers[3])};
#else
  static_cast<void>(leaf);
  static_cast<void>(subleaf);
#endif
  return answer;
}

}  // namespace detail

/// The facts about this processor. The first call queries it, later calls return the stored result:
/// under a hypervisor each query is a trap, which takes microseconds. Any thread.
inline const cpuid_facts& cpu_features() noexcept {
  static const cpuid_facts facts = read_cpuid_facts(detail::hardware_cpuid);
  return facts;
}

}  // namespace fg::inline FINEGRAIN_ABI
