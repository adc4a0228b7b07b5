// The paper's relic, with values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>

#include "finegrain/core/cache_line.hpp"
#include "programs/relic_kernels/paper_relic.hpp"

namespace fg::bench {

/// A `value_carrier` of the paper's design, whose task is a routine and an argument pointer, and
/// whose `wait` tells no more than that the tasks are finished. So a `long` alone travels in place
/// of the pointer; a result is stored where the pointer leads, on a line that has nothing else but
/// the `long` that the result is made from, if there is one.
class paper_caller {
 public:
  explicit paper_caller(int assistant_cpu) : relic_{assistant_cpu} {}

  template <void (*Routine)(long)>
  void call(long argument) {
    static_assert(sizeof argument == sizeof(void*));
    const auto routine = [](void* given) { Routine(reinterpret_cast<long>(given)); };
    // NOLINTNEXTLINE(performance-no-int-to-ptr): nobody follows it
    run(routine, reinterpret_cast<void*>(argument));
  }

  template <void (*Routine)(long*)>
  void call(long* variable) {
    run([](void* given) { Routine(static_cast<long*>(given)); }, variable);
  }

  template <auto Routine, class... Argument>
    requires(!std::is_void_v<std::invoke_result_t<decltype(Routine), Argument...>>)
  auto call(Argument... argument) {
    using result = std::invoke_result_t<decltype(Routine), Argument...>;
    struct alignas(kCacheLineBytes) line {
      // Leaves out the result: if there is no argument, the main thread need not write the line.
      explicit line(Argument... carried) : given{carried...} {}
      std::tuple<Argument...> given;
      result returned;
    };
    line here{argument...};
    run(
        [](void* given) {
          auto& there = *static_cast<line*>(given);
          there.returned = std::apply(Routine, there.given);
        },
        &here);
    return here.returned;
  }

 private:
  void run(void (*routine)(void*), void* argument) {
    relic_.submit(routine, argument);
    relic_.wait();
  }

  paper_relic relic_;
};

}  // namespace fg::bench
