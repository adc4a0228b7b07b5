// What LLVM's runtime tells its tests about the graph of dependences.
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

FINEGRAIN_OMP_ENTRY dependence_node* __kmpc_task_get_depnode(task_data* data) {
  dependence_node* const own = is_passive() ? nullptr : node_of(data);
  return own != nullptr
             ? own
             : next_function<"__kmpc_task_get_depnode", dependence_node*(task_data*)>()(data);
}

/// The newest first. The list is never freed, which is as it is meant: for tests.
FINEGRAIN_OMP_ENTRY node_list* __kmpc_task_get_successors(task_data* data) {
  dependence_node* const own = is_passive() ? nullptr : node_of(data);
  if (own == nullptr) {
    return next_function<"__kmpc_task_get_successors", node_list*(task_data*)>()(data);
  }
  node_list* list = nullptr;
  for (dependence_node* each : own->successors()) {
    list = new node_list{each, list};
  }
  return list;
}

}  // namespace fg::omp::kmpc
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
