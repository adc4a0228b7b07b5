// The settings in which the loops have the same contract: each mode, with an assistant and without.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "finegrain/host/affinity.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_options.hpp"
#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"

namespace fg::test {

struct loop_setting {
  offload mode;
  bool assisted;
};

class in_loop_settings : public testing::TestWithParam<loop_setting> {
 protected:
  template <class Body>
  static void with_relic(Body&& body) {
    on_thread([&body] {
      if (!GetParam().assisted) {
        restrict_this_thread_to(usable_cpus().front());
      }
      relic relic;
      ASSERT_EQ(relic.inline_mode(), !GetParam().assisted) << relic.inline_reason();
      body(relic);
    });
  }
  static offload mode() { return GetParam().mode; }
};

inline auto all_loop_settings() {
  return testing::Values(loop_setting{offload::always, true}, loop_setting{offload::never, true},
                         loop_setting{offload::adaptive, true},
                         loop_setting{offload::always, false},
                         loop_setting{offload::adaptive, false});
}

inline std::string name_of_loop_setting(const testing::TestParamInfo<loop_setting>& info) {
  const char* const mode = info.param.mode == offload::always  ? "always"
                           : info.param.mode == offload::never ? "never"
                                                               : "adaptive";
  return std::string{mode} + (info.param.assisted ? "_assisted" : "_inlined");
}

}  // namespace fg::test
