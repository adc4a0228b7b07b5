// LLVM's entry points for taskgraphs.
// SPDX-License-Identifier: Apache-2.0
#include "taskgraph.hpp"

#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../settings.hpp"
#include "../takeover.hpp"
#include "kmpc.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
namespace fg::omp::kmpc {

/// A taskgraph construct that a task is in.
struct open_taskgraph {
  open_taskgraph* outer;  ///< of tasks that the thread is running
  const task* by;
  std::int32_t id;
  bool has_group;
  bool records = false;    ///< into `record`
  bool is_nested = false;  ///< in a construct that is being recorded, as a part of it
  std::shared_ptr<task_record> record = nullptr;  ///< null: neither recorded nor replayed
  std::optional<graph_replay> run = {};           ///< until all of its tasks have finished
};

namespace {

/// kmp_taskgraph_flags_t.
enum : std::int32_t { kNoWait = 1, kReset = 4 };

/// All graphs of the process, by the numbers that the program gives them. Never destroyed, since
/// threads may outlive the end of main.
class taskgraphs {
 public:
  static taskgraphs& instance() {
    static auto* const made = new taskgraphs;
    return *made;
  }

  /// Returns the record to be replayed, or a new one to be recorded into, or null: another thread
  /// is recording it, or it cannot be replayed.
  std::shared_ptr<task_record> find(std::int32_t id, bool reset, bool& is_new) {
    const std::lock_guard hold{lock_};
    entry& found = by_id_[id];
    if (reset) {
      found.ready.reset();
      found.has_failed = false;
    }
    is_new = found.ready == nullptr && !found.is_recorded && !found.has_failed;
    if (is_new) {
      auto made = std::make_shared<task_record>();
      found.is_recorded = true;
      return made;
    }
    return found.ready;
  }

  void publish(std::int32_t id, std::shared_ptr<task_record> record) {
    const std::lock_guard hold{lock_};
    entry& found = by_id_[id];
    found.is_recorded = false;
    found.has_failed = !record->can_replay();
    if (!found.has_failed) {
      found.ready = std::move(record);
    }
  }

 private:
  struct entry {
    std::shared_ptr<task_record> ready;
    bool is_recorded = false;
    bool has_failed = false;
  };
  std::mutex lock_;
  std::unordered_map<std::int32_t, entry> by_id_;
};

// Returns whether the program is to create the tasks itself.
bool begin_taskgraph(thread& self, std::int32_t id, std::int32_t flags) {
  const bool has_group = (flags & kNoWait) == 0;
  auto made = std::make_unique<open_taskgraph>(open_taskgraph{
      .outer = self.taskgraphs, .by = self.running, .id = id, .has_group = has_group});
  if (task_record* const around = recording(self)) {
    made->is_nested = true;
    made->record = self.taskgraphs->record;
    made->records = true;
    if (has_group) {
      around->add_group();
    }
  } else {
    made->record = taskgraphs::instance().find(id, (flags & kReset) != 0, made->records);
  }
  if (has_group) {
    open_taskgroup(self);
  }
  open_taskgraph& here = *made;
  self.taskgraphs = made.release();
  if (here.record == nullptr || here.records) {
    if (here.records) {
      self.running->flags |= task::kRecords;
    }
    return true;
  }
  // Later siblings may depend on tasks of a construct that does not wait for them.
  if (has_group && here.record->has_all_edges()) {
    here.run.emplace(here.record->edges());
  }
  here.record->replay(self, here.run.has_value() ? &*here.run : nullptr);
  return false;
}

void end_taskgraph(thread& self) {
  if (self.taskgraphs == nullptr || self.taskgraphs->by != self.running) {
    return;
  }
  const std::unique_ptr<open_taskgraph> ended{
      std::exchange(self.taskgraphs, self.taskgraphs->outer)};
  if (ended->is_nested) {
    if (ended->has_group) {
      ended->record->add_end_of_group();
    }
  } else if (ended->records) {
    self.running->flags &= static_cast<std::uint16_t>(~task::kRecords);
    ended->record->find_edges();
    taskgraphs::instance().publish(ended->id, ended->record);
  }
  if (ended->has_group) {
    end_taskgroup(self);
  }
}

}  // namespace

task_record* recording(const thread& self) noexcept {
  const open_taskgraph* const inner = self.taskgraphs;
  return inner != nullptr && inner->records && inner->by == self.running ? inner->record.get()
                                                                         : nullptr;
}

void task_record::take_items(step& into, std::span<const dependence> items) {
  into.first = items_.size();
  into.item_count = items.size();
  items_.insert(items_.end(), items.begin(), items.end());
}

void task_record::add_task(task& one, std::span<const dependence> items, bool undeferred) {
  if (one.is(task::kHasDestructors) || (one.details != nullptr && one.details->event.has_value())) {
    give_up();
  }
  step made{.what = kind::task,
            .undeferred = undeferred,
            .priority = one.priority,
            .flags = static_cast<std::uint16_t>((one.flags & (task::kFinal | task::kHasPriority)) |
                                                task::kReplayed),
            .data_bytes = one.data_bytes,
            .data_at = data_.size(),
            // Relaxed: this thread has set it.
            .routine = one.routine.load(memory_order_relaxed)};
  take_items(made, items);
  const auto* const bytes = static_cast<const std::byte*>(one.data());
  data_.insert(data_.end(), bytes, bytes + one.data_bytes);
  if (one.data_bytes >= sizeof(task_data)) {
    if (const void* const shareds = static_cast<const task_data*>(one.data())->shareds) {
      made.shareds_at = static_cast<const std::byte*>(shareds) - bytes;
    }
  }
  steps_.push_back(made);
}

void task_record::add_wait_for(std::span<const dependence> items) {
  step made{.what = kind::wait_for};
  take_items(made, items);
  steps_.push_back(made);
  waits_for_items_ = true;
}

void task_record::add_reductions(std::vector<reduction_item> items) {
  steps_.push_back({.what = kind::reductions, .first = reductions_.size()});
  reductions_.push_back(std::move(items));
}

// By a table and nodes of its own, whose tasks never finish: so they keep all edges.
void task_record::find_edges() {
  dependence_table table;
  std::deque<dependence_node> nodes;
  std::unordered_map<const dependence_node*, std::uint32_t> numbers;
  for (const step& each : steps_) {
    if (each.what == kind::task && !each.undeferred) {
      dependence_node& node = nodes.emplace_back(nullptr, [](dependence_node&) noexcept {});
      numbers.emplace(&node, static_cast<std::uint32_t>(numbers.size()));
      table.link(node, items_of(each));
    }
  }
  edges_.predecessors.assign(nodes.size(), 0);
  for (dependence_node& node : nodes) {
    edges_.first.push_back(static_cast<std::uint32_t>(edges_.successors.size()));
    for (const dependence_node* const next : node.successors()) {
      const std::uint32_t number = numbers.at(next);
      edges_.successors.push_back(number);
      ++edges_.predecessors[number];
    }
  }
  edges_.first.push_back(static_cast<std::uint32_t>(edges_.successors.size()));
}

task& task_record::make_again(thread& self, const step& from) const noexcept {
  task& made = make_task(self, from.data_bytes, from.routine, from.flags);
  made.priority = from.priority;
  if (from.data_bytes != 0) {
    std::memcpy(made.data(), data_.data() + from.data_at, from.data_bytes);
  }
  if (from.shareds_at != kNone) {
    static_cast<task_data*>(made.data())->shareds =
        static_cast<std::byte*>(made.data()) + from.shareds_at;
  }
  return made;
}

void task_record::replay_task(thread& self, const step& from, graph_replay* run,
                              std::uint32_t number) const noexcept {
  task& made = make_again(self, from);
  if (from.undeferred) {
    count_child(self, made);
    omp::run(self, made);
  } else if (from.item_count == 0 ||
             (run != nullptr && (self.inner->at_once || !edges_.are_of(number)))) {
    count_child(self, made);
    submit(self, made);
  } else if (run != nullptr) {
    submit_replayed(self, made, *run, number);
  } else {
    submit_depending(self, made, items_of(from));
  }
}

void task_record::replay(thread& self, graph_replay* run) const noexcept {
  // The edges know nothing of siblings from before.
  if (run != nullptr && !children::all_finished(self.running->children_sum())) {
    wait_for_dependences(self, items_);
  }
  std::uint32_t number = 0;
  for (const step& each : steps_) {
    switch (each.what) {
      case kind::task:
        replay_task(self, each, run, number);
        number += each.undeferred ? 0 : 1;
        break;
      case kind::wait:
        wait_for_children(self);
        break;
      case kind::wait_for:
        wait_for_dependences(self, items_of(each));
        break;
      case kind::open_group:
        open_taskgroup(self);
        break;
      case kind::end_group:
        end_taskgroup(self);
        break;
      case kind::reductions:
        kmpc::add_reductions(self, reductions_[each.first]);
        break;
    }
  }
}

// Called at the beginning of a taskgraph construct; returns whether the caller is to execute it, and
// to create its tasks. Otherwise they are submitted. `id`: the program's for the graph.
FINEGRAIN_OMP_ENTRY std::int32_t __kmpc_start_record_task(ident* where, std::int32_t gtid,
                                                          std::int32_t flags, std::int32_t id) {
  if (is_passive()) {
    return FINEGRAIN_OMP_NEXT(__kmpc_start_record_task)(where, gtid, flags, id);
  }
  thread& self = thread::here();
  self.inner->runtime_id = gtid;
  try {
    return begin_taskgraph(self, id, flags) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    end_without_memory("a taskgraph");
  }
}

// Called at the end of a taskgraph construct; returns when its tasks are done, unless it has nowait.
FINEGRAIN_OMP_ENTRY void __kmpc_end_record_task(ident* where, std::int32_t gtid, std::int32_t flags,
                                                std::int32_t id) {
  if (is_passive()) {
    FINEGRAIN_OMP_NEXT(__kmpc_end_record_task)(where, gtid, flags, id);
    return;
  }
  try {
    end_taskgraph(thread::here());
  } catch (const std::bad_alloc&) {
    end_without_memory("a taskgraph");
  }
}

}  // namespace fg::omp::kmpc
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
