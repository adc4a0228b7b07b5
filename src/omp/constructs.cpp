// SPDX-License-Identifier: Apache-2.0
#include "constructs.hpp"

#include <cstdint>
#include <new>
#include <type_traits>

#include "graph_replay.hpp"
#include "settings.hpp"

namespace fg::omp {
namespace {

// Taskgroups are recycled as tasks are.
constexpr std::uint8_t kGroupClass = task_memory::class_for(sizeof(taskgroup));
static_assert(std::is_trivially_destructible_v<taskgroup>);

// Throws std::bad_alloc, like the functions below.
template <class T, class... Arguments>
T& make_beside(thread& self, Arguments... arguments) {
  T* const made = self.side.make<T>(arguments...);
  return made != nullptr ? *made : throw std::bad_alloc{};
}

dependence_node& make_node(thread& self, task* whose) {
  return make_beside<dependence_node>(
      self, whose, [](dependence_node& unused) noexcept { thread::here().side.destroy(unused); });
}

task_details& details_of(thread& self, task& one) {
  if (one.details == nullptr) {
    one.details = &make_beside<task_details>(self);
    one.flags |= task::kHasMore;
  }
  return *one.details;
}

dependence_table& table_of(thread& self, task& parent) {
  std::unique_ptr<dependence_table>& table = details_of(self, parent).of_children;
  if (table == nullptr) {
    table = std::make_unique<dependence_table>();
  }
  return *table;
}

}  // namespace

taskgroup& open_taskgroup(thread& self) noexcept {
  task& opener = *self.running;
  void* const block = self.memory.take(kGroupClass, sizeof(taskgroup));
  if (block == nullptr) {
    end_without_memory("a taskgroup");
  }
  self.memory.begin_running();  // a taskgroup is no pending task
  auto* const group = ::new (block) taskgroup{.outer = opener.group, .opened_by = &opener};
  if (opener.group != nullptr) {
    group->arrays = opener.group->arrays;
  }
  opener.group = group;
  return *group;
}

void close_taskgroup(thread& self) noexcept {
  taskgroup* const group = self.running->group;
  wait_for(self, *group);
  self.running->group = group->outer;
  self.memory.give_back_running(group, kGroupClass);  // this thread's: a task never moves
}

void submit_depending(thread& self, task& made, std::span<const dependence> items) noexcept {
  const bool nothing_before = self.inner->at_once && self.running->children_sum() == 0;
  count_child(self, made);
  if (nothing_before && made.details == nullptr) {  // finishes before the next one is created
    submit(self, made);
    return;
  }
  try {
    dependence_node& node = make_node(self, &made);
    details_of(self, made).node = &node;
    table_of(self, *self.running).link(node, items);
    if (node.end_linking()) {
      submit(self, made);
    }
  } catch (const std::bad_alloc&) {
    end_without_memory("a dependence");
  }
}

void submit_replayed(thread& self, task& made, graph_replay& run, std::uint32_t number) noexcept {
  count_child(self, made);
  try {
    task_details& details = details_of(self, made);
    details.replay = &run;
    details.number = number;
  } catch (const std::bad_alloc&) {
    end_without_memory("a dependence");
  }
  if (run.add(number, made)) {
    submit(self, made);
  }
}

void wait_for_dependences(thread& self, std::span<const dependence> items) noexcept {
  if (self.running->details == nullptr || self.running->details->of_children == nullptr) {
    return;
  }
  try {
    dependence_node& node = make_node(self, nullptr);
    self.running->details->of_children->wait_for_predecessors(node, items);
    if (!node.end_linking()) {
      wait_for(self, node);
    }
    node.release();
  } catch (const std::bad_alloc&) {
    end_without_memory("a dependence");
  }
}

completion_event& make_event(thread& self, task& made) noexcept {
  try {
    completion_event& event = details_of(self, made).event.emplace();
    event.whose = &made;
    event.team = &self.join_team();
    return event;
  } catch (const std::bad_alloc&) {
    end_without_memory("an event");
  }
}

}  // namespace fg::omp
