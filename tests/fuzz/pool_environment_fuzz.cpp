// The environment that a pool reads.
#include <FuzzedDataProvider.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "finegrain/core/chosen_wait.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/pool/pool.hpp"
#include "fuzz/environment.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::test::require;

// Unset and empty both mean the default.
bool is_policy(const std::string& name) {
  const auto is_named = [&](const fg::balancing_policy& each) { return each.name == name; };
  return name.empty() || std::ranges::any_of(fg::kBalancingPolicies, is_named);
}

bool is_wait(const std::string& name) {
  const auto is_named = [&](const fg::chosen_wait& each) {
    return each.name() == name && each.is_supported();
  };
  return name.empty() || std::ranges::any_of(fg::kWaitPolicies, is_named);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const fg::test::environment now{input, {"FINEGRAIN_POLICY", "FINEGRAIN_WAIT"}};
  const bool is_right = is_policy(fg::test::value_of("FINEGRAIN_POLICY").value_or("")) &&
                        is_wait(fg::test::value_of("FINEGRAIN_WAIT").value_or(""));
  try {
    fg::pool pool{{.workers = 1}};
    require(pool.run([] { return 1; }) == 1, "the pool runs");
    require(is_right, "a name that there is not is refused");
  } catch (const std::invalid_argument& error) {
    require(!is_right, "a name that there is is taken");
    fg::test::require_one_line(error.what());
  }
  return 0;
}
