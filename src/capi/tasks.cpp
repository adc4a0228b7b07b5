// Functions for workers: branches, loops, task groups.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>

#include "capi/calls.hpp"
#include "capi/status.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/loop_options.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/finegrain.h"
#include "finegrain/pool/task_group.hpp"

struct fg_task_group {
  fg::task_group tasks;
};

namespace {

using fg::capi::call;
using fg::capi::fail;
using fg::capi::guarded;
using fg::capi::guarded_tasks;
using fg::capi::null_pointer;

}  // namespace

fg_status fg_fork_join(fg_routine f, void* f_arguments, fg_routine g, void* g_arguments) noexcept {
  if (f == nullptr || g == nullptr) [[unlikely]] {
    return null_pointer("a branch");
  }
  return guarded_tasks([&] { fg::fork_join(call{f, f_arguments}, call{g, g_arguments}); });
}

fg_status fg_parallel_for(std::size_t first, std::size_t last, fg_loop_body body, void* arguments,
                          int partition, std::size_t grain) noexcept {
  if (body == nullptr) {
    return null_pointer("body");
  }
  if (partition < FG_LAZY || partition > FG_FIXED) {
    return fail(FG_INVALID_ARGUMENT, "no such partition");
  }
  static_assert(static_cast<int>(fg::partition::lazy) == FG_LAZY &&
                static_cast<int>(fg::partition::dynamic) == FG_DYNAMIC &&
                static_cast<int>(fg::partition::fixed) == FG_FIXED);
  return guarded_tasks([&] {
    fg::parallel_for(first, last, fg::capi::loop_call{body, arguments},
                     {.how = static_cast<fg::partition>(partition), .grain = grain});
  });
}

fg_status fg_task_group_create(fg_task_group** group) noexcept {
  if (group == nullptr) {
    return null_pointer("group");
  }
  return guarded([&] { *group = std::make_unique<fg_task_group>().release(); });
}

void fg_task_group_destroy(fg_task_group* group) noexcept { delete group; }

fg_status fg_task_group_spawn(fg_task_group* group, fg_routine routine, void* arguments) noexcept {
  if (group == nullptr || routine == nullptr) [[unlikely]] {
    return null_pointer(group == nullptr ? "group" : "routine");
  }
  return guarded([&] { group->tasks.spawn(call{routine, arguments}); });
}

fg_status fg_task_group_wait(fg_task_group* group) noexcept {
  if (group == nullptr) [[unlikely]] {
    return null_pointer("group");
  }
  return guarded_tasks([&] { group->tasks.wait(); });
}

fg_status fg_task_group_cancel(fg_task_group* group) noexcept {
  if (group == nullptr) {
    return null_pointer("group");
  }
  group->tasks.cancel();
  return FG_OK;
}

int fg_task_group_is_cancelled(const fg_task_group* group) noexcept {
  return group != nullptr && group->tasks.is_cancelled() ? 1 : 0;
}
