// State that few tasks have: dependences among their children, dependences on siblings, an event.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "dependences.hpp"
#include "finegrain/core/atomic.hpp"

namespace fg::omp {

class graph_replay;
struct task;
class team;

/// The event of a detachable task, which finishes when its body has ended and its event is
/// fulfilled, whichever comes later.
struct completion_event {
  static constexpr std::uint64_t kMark = 0x66696e65'6576656e;

  std::uint64_t mark = kMark;  ///< distinguishes it from an event of the runtime below
  task* whose = nullptr;
  omp::team* team = nullptr;      ///< gets the task if the event is fulfilled after the body's end
  atomic<bool> half_done{false};  ///< one of the two has happened
  completion_event* next_fulfilled = nullptr;

  /// Records that one of the two has happened. Returns true if it was the second. Any thread,
  /// signal handlers.
  bool is_second() noexcept {
    // Acquire-release: the second caller sees what happened before the first call.
    return half_done.exchange(true, memory_order_acq_rel);
  }
};

struct task_details {
  dependence_node* node = nullptr;                ///< the task's node among its siblings
  graph_replay* replay = nullptr;                 ///< in place of a node: of a replayed taskgraph
  std::uint32_t number = 0;                       ///< in that graph
  std::unique_ptr<dependence_table> of_children;  ///< created with the first dependent child
  std::optional<completion_event> event;
};

}  // namespace fg::omp
