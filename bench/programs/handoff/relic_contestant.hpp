// finegrain's relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <type_traits>

#include "finegrain/relic/relic.hpp"

namespace fg::bench {

/// `fg::basic_relic` with the policy `Wait`: a `contestant`, and a `value_carrier`, whose closures
/// hold their arguments, and whose results come home in the closure's line.
template <class Wait>
class relic_contestant {
 public:
  // All tasks on the assistant, also those after a pause that the host has made.
  explicit relic_contestant(int assistant_cpu)
      : relic_{{.assistant_cpu = assistant_cpu, .main_helps = false}} {
    if (relic_.inline_mode()) {
      throw std::runtime_error("relic runs inline: " + relic_.inline_reason());
    }
  }
  void submit(void (*routine)(void*), void* argument) { relic_.submit(routine, argument); }
  void wait() { relic_.wait(); }

  template <auto Routine, class... Argument>
  auto call(Argument... argument) {
    const auto closure = [argument...] { return Routine(argument...); };
    if constexpr (std::is_void_v<std::invoke_result_t<decltype(closure)>>) {
      relic_.submit(closure);
      relic_.wait();
    } else {
      return relic_.fork(closure).get();
    }
  }

 private:
  basic_relic<Wait> relic_;
};

}  // namespace fg::bench
