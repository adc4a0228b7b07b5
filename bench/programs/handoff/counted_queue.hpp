// Tasks through a third-party queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "programs/handoff/queue_assistant.hpp"
#include "programs/handoff/queued_task.hpp"

namespace fg::bench {

/// A `contestant` of a queue of others.
template <template <class> class Queue, class Wait>
class counted_queue {
 public:
  explicit counted_queue(int assistant_cpu) : assistant_{assistant_cpu} {}
  void submit(void (*routine)(void*), void* argument) { assistant_.submit({routine, argument}); }
  void wait() const { assistant_.wait(); }

 private:
  queue_assistant<Queue<queued_task>, Wait> assistant_;
};

}  // namespace fg::bench
