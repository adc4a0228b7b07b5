// Stands in for the runtime below: the library's shared parts look up its functions by name.
// SPDX-License-Identifier: Apache-2.0
#include "below.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "../kmpc/helper_tasks.hpp"
#include "../next_function.hpp"
#include "../settings.hpp"
#include "cancellation.hpp"
#include "control_setters.hpp"
#include "host_device.hpp"

namespace fg::omp {
namespace {

// __kmpc_omp_has_task_team of an implicit task.
bool is_no_task(std::int32_t /*gtid*/) noexcept { return false; }

struct own_function {
  std::string_view name;
  void* address;
};

template <class Function>
void* address_of(Function* function) noexcept {
  return reinterpret_cast<void*>(function);
}

// Those that the library wraps. What it calls and does not wrap, it exports itself.
const own_function own_functions[] = {
    {"__kmpc_cancel", address_of(&runtime::cancel)},
    {"__kmpc_cancellationpoint", address_of(&runtime::is_cancelled)},
    {"__kmpc_omp_has_task_team", address_of(&is_no_task)},
    {"__kmpc_set_thread_limit", address_of(&runtime::setters::set_thread_limit)},
    {"GOMP_target_enter_exit_data", address_of(&runtime::host_device::enter_or_exit_data)},
    {"GOMP_target_ext", address_of(&runtime::host_device::run_target)},
    {"GOMP_target_update_ext", address_of(&runtime::host_device::update_data)},
    {"omp_set_default_device", address_of(&runtime::setters::set_default_device)},
    {"omp_set_dynamic", address_of(&runtime::setters::set_dynamic)},
    {"omp_set_num_threads", address_of(&runtime::setters::set_num_threads)},
    {"omp_set_schedule", address_of(&runtime::setters::set_schedule)},
};

}  // namespace

void* runtime::find_exported(const char* name) noexcept {
  static void* const self = [] {
    Dl_info home{};
    return dladdr(address_of(&runtime::find_exported), &home) != 0
               ? dlopen(home.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  return self != nullptr ? dlsym(self, name) : nullptr;
}

void* find_next_if_any(const char* name) noexcept {
  for (const own_function& each : own_functions) {
    if (each.name == name) {
      return each.address;
    }
  }
  return runtime::find_exported(name);
}

void* find_next(const char* name) noexcept {
  void* const found = find_next_if_any(name);
  if (found == nullptr) {
    std::fprintf(stderr, "finegrain-omp: %s is missing: run the program with FINEGRAIN_OMP=tasks\n",
                 name);
    std::abort();
  }
  return found;
}

void* find_beside(const void* /*function*/, const char* name) noexcept { return find_next(name); }

bool owns_regions() noexcept { return true; }

namespace kmpc {

// Target tasks are tasks like others: the host runs them.
bool has_helper_threads() noexcept { return false; }
void submit_helper_task(thread& /*self*/, task_data* /*real*/,
                        std::span<const dependence> /*items*/) noexcept {
  std::abort();  // there are none
}

}  // namespace kmpc
}  // namespace fg::omp
