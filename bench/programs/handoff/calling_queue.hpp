// Tasks with values through a third-party queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "programs/handoff/queue_assistant.hpp"
#include "programs/handoff/queued_call.hpp"

namespace fg::bench {

/// A `value_carrier` of a queue of others, the best that such a queue allows: the argument is in the
/// queue's entry, the result beside the count of finished tasks. That is possible because each task
/// is waited for.
template <template <class> class Queue, class Wait>
class calling_queue {
 public:
  explicit calling_queue(int assistant_cpu) : assistant_{assistant_cpu} {}

  template <auto Routine, class... Argument>
  auto call(Argument... argument) {
    using result = std::invoke_result_t<decltype(Routine), Argument...>;
    assistant_.submit(queued_call::of<Routine>(argument...));
    assistant_.wait();
    if constexpr (!std::is_void_v<result>) {
      return assistant_.result().template get<result>();
    }
  }

 private:
  queue_assistant<Queue<queued_call>, Wait> assistant_;
};

}  // namespace fg::bench
