// Names of cases that hold a number: spin-100ns, burst-4.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "fuzz/oracle.hpp"
#include "kernels/spin/spin_case.hpp"
#include "programs/handoff/burst_case.hpp"

namespace {

using fg::bench::parse_burst_case;
using fg::bench::parse_spin_case_ns;
using fg::test::require;

constexpr std::uint64_t kMostNs = std::uint64_t{1} << 63;

std::string spin_case(std::uint64_t ns) { return "spin-" + std::to_string(ns) + "ns"; }

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const auto number = input.ConsumeIntegral<std::uint64_t>();
  const bool is_spin = number != 0 && number <= kMostNs;
  require(parse_spin_case_ns(spin_case(number)) == (is_spin ? std::optional{number} : std::nullopt),
          "every length that there may be is read");
  require(parse_burst_case("burst-" + std::to_string(number)).has_value() ==
              (number >= 2 && number <= 128),
          "bursts are of 2 to 128");
  const std::string name = input.ConsumeRemainingBytesAsString();
  if (const std::optional<std::uint64_t> ns = parse_spin_case_ns(name)) {
    require(*ns >= 1 && *ns <= kMostNs, "a length is within its bounds");
    require(parse_spin_case_ns(spin_case(*ns)) == ns, "what was read is read again");
  }
  if (const std::optional<std::size_t> tasks = parse_burst_case(name)) {
    require(name == "empty" ? *tasks == 1 : *tasks >= 2 && *tasks <= 128, "bursts are of 2 to 128");
  }
  return 0;
}
