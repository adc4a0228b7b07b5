// The dependence graph, for LLVM's tests.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "../dependences.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "../takeover.hpp"
#include "../task.hpp"
#include "../task_details.hpp"
#include "kmpc.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
namespace fg::omp::kmpc {
namespace {

// kmp_depnode_list_t.
struct node_list {
  dependence_node* node;
  node_list* next;
};

dependence_node* node_of(task_data* data) noexcept {
  const task& made = task::of_data(data);
  return made.mark == task::kMark && made.details != nullptr ? made.details->node : nullptr;
}

}  // namespace

// Called by LLVM's tests, not emitted; returns the task's node in the graph.
FINEGRAIN_OMP_ENTRY dependence_node* __kmpc_task_get_depnode(task_data* data) {
  dependence_node* const own = is_passive() ? nullptr : node_of(data);
  return own != nullptr ? own : FINEGRAIN_OMP_NEXT(__kmpc_task_get_depnode)(data);
}

// Called by LLVM's tests, not emitted; returns a list of the task's successors, newest first, which
// is never freed.
FINEGRAIN_OMP_ENTRY node_list* __kmpc_task_get_successors(task_data* data) {
  dependence_node* const own = is_passive() ? nullptr : node_of(data);
  if (own == nullptr) {
    return FINEGRAIN_OMP_NEXT(__kmpc_task_get_successors)(data);
  }
  node_list* list = nullptr;
  for (dependence_node* each : own->successors()) {
    list = new node_list{each, list};
  }
  return list;
}

}  // namespace fg::omp::kmpc
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
