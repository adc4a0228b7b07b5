// Taskgraphs: what a part of a program has created is recorded, and replayed without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../dependences.hpp"
#include "../graph_replay.hpp"
#include "../thread.hpp"
#include "reductions.hpp"

namespace fg::omp::kmpc {

/// The calls of one execution of a taskgraph construct that create tasks or wait for them, in their
/// order. A replay makes them again: its tasks are new ones, with copies of the data that the recorded
/// ones had before they ran. So replays may be at the same time, in teams of any size, and the
/// recorded tasks end as all others do.
///
/// What only the program could do again makes a graph that is created by it each time: events
/// (detach), data with destructors, tasks that a runtime below runs, cancellation.
///
/// `fg::graph` is none for this: a pool runs its nodes to their end, one after another on a lane,
/// while a task of OpenMP belongs to a region and to a parent, has children, may wait for them amid
/// its body, be cancelled, and run only where the task scheduling constraint lets it.
class task_record {
 public:
  // While it is recorded, by the recording task. They throw std::bad_alloc.
  void add_task(task& one, std::span<const dependence> items, bool undeferred);
  void add_wait() { steps_.push_back({.what = kind::wait}); }
  void add_wait_for(std::span<const dependence> items);
  void add_group() { steps_.push_back({.what = kind::open_group}); }
  void add_end_of_group() { steps_.push_back({.what = kind::end_group}); }
  void add_reductions(std::vector<reduction_item> items);
  void give_up() noexcept { can_replay_ = false; }
  /// Ends the recording.
  void find_edges();

  [[nodiscard]] bool can_replay() const noexcept { return can_replay_; }
  /// Whether the edges suffice, where nothing but the replay's tasks may depend on each other.
  [[nodiscard]] bool has_all_edges() const noexcept { return !waits_for_items_; }
  [[nodiscard]] const recorded_edges& edges() const noexcept { return edges_; }

  /// Makes the calls again. `run`: by the edges; null: by the dependences, as siblings of others.
  void replay(thread& self, graph_replay* run) const noexcept;

 private:
  enum class kind : std::uint8_t { task, wait, wait_for, open_group, end_group, reductions };
  static constexpr std::ptrdiff_t kNone = -1;

  struct step {
    kind what;
    bool undeferred = false;
    std::int8_t priority = 0;
    std::uint16_t flags = 0;
    std::uint32_t data_bytes = 0;
    std::size_t data_at = 0;  ///< in `data_`
    pool_task::routine_type routine = nullptr;
    std::ptrdiff_t shareds_at = kNone;  ///< in the task's data
    std::size_t first = 0;              ///< in `items_`, or in `reductions_`
    std::size_t item_count = 0;
  };

  void take_items(step& into, std::span<const dependence> items);
  [[nodiscard]] std::span<const dependence> items_of(const step& of) const noexcept {
    return {items_.data() + of.first, of.item_count};
  }
  [[nodiscard]] task& make_again(thread& self, const step& from) const noexcept;
  void replay_task(thread& self, const step& from, graph_replay* run,
                   std::uint32_t number) const noexcept;

  std::vector<step> steps_;
  std::vector<std::byte> data_;
  std::vector<dependence> items_;
  std::vector<std::vector<reduction_item>> reductions_;
  recorded_edges edges_;
  bool can_replay_ = true;
  bool waits_for_items_ = false;
};

/// The record that the running task's calls go into; null: none.
task_record* recording(const thread& self) noexcept;

/// Calls `add` with that record, if there is one. For the entry points.
template <class Add>
void record(const thread& self, Add add) noexcept {
  if (self.running->is(task::kRecords)) [[unlikely]] {
    if (task_record* const into = recording(self)) {
      add(*into);
    }
  }
}
/// The same for a task that is about to be submitted.
inline void record_task(const thread& self, task& made, std::span<const dependence> items,
                        bool undeferred = false) noexcept {
  if (made.is(task::kRecords)) [[unlikely]] {
    record(self, [&](task_record& into) { into.add_task(made, items, undeferred); });
    made.flags &= static_cast<std::uint16_t>(~task::kRecords);
  }
}

}  // namespace fg::omp::kmpc
