// The environment that a pool reads.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "finegrain/core/environment.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/wait/chosen_wait.hpp"
#include "fuzz/environment.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::test::require;

// What a pool makes of the environment's value: unset and empty both mean the default. Any other
// value is refused in one line.
template <class Choices>
std::string_view expected(const Choices& all, const char* variable) {
  const std::string value = fg::test::value_of(variable).value_or("");
  for (const auto& choice : all) {
    if (fg::detail::name_of(choice) == value && fg::detail::is_there(choice)) {
      return fg::detail::name_of(choice);
    }
  }
  fg::test::require_one_line(fg::detail::unknown_name(all, "kind", value));
  return fg::detail::name_of(all.front());
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const fg::test::environment now{input,
                                  {"FINEGRAIN_POLICY", "FINEGRAIN_WAIT", "FINEGRAIN_PINNING"}};
  fg::pool pool{{.workers = 1}};
  require(pool.run([] { return 1; }) == 1, "the pool runs");
  require(pool.policy() == expected(fg::detail::kBalancingPolicies, "FINEGRAIN_POLICY"),
          "the policy is the one asked for, or the default");
  require(pool.wait_policy() == expected(fg::detail::kWaitPolicies, "FINEGRAIN_WAIT"),
          "the wait policy is the one asked for, or the default");
  require(fg::detail::find_by_name(fg::detail::kPinnings,
                                   expected(fg::detail::kPinnings, "FINEGRAIN_PINNING"))
                  ->value == fg::detail::pinning_of_environment(),
          "the pinning is the one asked for, or the default");
  return 0;
}
