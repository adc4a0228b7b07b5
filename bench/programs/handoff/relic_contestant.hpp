// finegrain's relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "finegrain/relic/relic.hpp"

namespace fg::bench {

/// `fg::basic_relic` with the policy `Wait`.
template <class Wait>
class relic_contestant {
 public:
  explicit relic_contestant(int assistant_cpu) : relic_{{.assistant_cpu = assistant_cpu}} {
    if (relic_.inline_mode()) {
      throw std::runtime_error("relic runs inline: " + relic_.inline_reason());
    }
  }
  void submit(void (*routine)(void*), void* argument) { relic_.submit(routine, argument); }
  void wait() { relic_.wait(); }

 private:
  basic_relic<Wait> relic_;
};

}  // namespace fg::bench
