// What a third-party queue holds for tasks with values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include "programs/handoff/value_room.hpp"

namespace fg::bench {

/// A call that carries its argument by itself, in the two words that a task takes anyway. Without a
/// routine it is the last one.
struct queued_call {
  static constexpr std::size_t kMostResultBytes = 32;
  using argument_room = value_room<sizeof(void*)>;
  using result = value_room<kMostResultBytes>;  ///< where the assistant puts what it returns

  template <auto Routine, class... Argument>
    requires(sizeof...(Argument) <= 1)
  static queued_call of(Argument... argument) {
    queued_call call{.routine = &run_routine<Routine, Argument...>, .argument = {}};
    (call.argument.put(argument), ...);
    return call;
  }

  void run(result& returned) const { routine(argument, returned); }

  void (*routine)(const argument_room&, result&) = nullptr;
  argument_room argument;

 private:
  template <auto Routine, class... Argument>
  static void run_routine(const argument_room& argument, result& returned) {
    if constexpr (std::is_void_v<std::invoke_result_t<decltype(Routine), Argument...>>) {
      Routine(argument.get<Argument>()...);
    } else {
      returned.put(Routine(argument.get<Argument>()...));
    }
  }
};

}  // namespace fg::bench
