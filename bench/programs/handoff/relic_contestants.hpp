// finegrain's relic, and that of the paper.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "finegrain/relic/relic.hpp"
#include "programs/relic_kernels/relic_paper.hpp"

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

/// `paper_relic`, the reference to beat: see relic_kernels/relic_paper.hpp.
using relic_paper_contestant = paper_relic;

}  // namespace fg::bench
