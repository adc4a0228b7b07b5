#include "control_variables.hpp"

#include <new>

#include "export.hpp"
#include "next_function.hpp"
#include "settings.hpp"
#include "takeover.hpp"
#include "task.hpp"
#include "thread.hpp"

namespace fg::omp {
namespace {

control_variables* capture_or_end() noexcept {
  try {
    return control_variables::capture();
  } catch (const std::bad_alloc&) {
    end_without_memory("control variables");
  }
}

}  // namespace

control_variables* control_variables::capture() {
  auto* const now = new control_variables;
  now->threads_ = next_function<"omp_get_max_threads", int()>()();
  now->dynamic_ = next_function<"omp_get_dynamic", int()>()();
  next_function<"omp_get_schedule", void(int*, int*)>()(&now->schedule_, &now->chunk_);
  now->device_ = next_function<"omp_get_default_device", int()>()();
  now->thread_limit_ = next_function<"omp_get_thread_limit", int()>()();
  return now;
}

void control_variables::apply(int runtime_id) const noexcept {
  next_function<"omp_set_num_threads", void(int)>()(threads_);
  next_function<"omp_set_dynamic", void(int)>()(dynamic_);
  next_function<"omp_set_schedule", void(int, int)>()(schedule_, chunk_);
  next_function<"omp_set_default_device", void(int)>()(device_);
  if (next_function<"omp_get_thread_limit", int()>()() != thread_limit_) {
    next_function<"__kmpc_set_thread_limit", void(void*, int, int)>()(nullptr, runtime_id,
                                                                      thread_limit_);
  }
}

void switch_control_variables(thread& self, control_variables* next) noexcept {
  frame& here = *self.inner;
  if (here.applied == nullptr && here.own_variables == nullptr) {
    here.own_variables = capture_or_end();
  }
  (next != nullptr ? next : here.own_variables)->apply(here.runtime_id);
  here.applied = next;
}

// The implicit task's own are to be known before they are changed.
void before_setting(thread& self) noexcept {
  frame& here = *self.inner;
  if (here.applied == nullptr && here.own_variables == nullptr &&
      !self.running->is(task::kImplicit)) {
    here.own_variables = capture_or_end();
  }
}

void after_setting(thread& self) noexcept {
  if (self.inner->at_once && self.running->is(task::kImplicit)) {
    return;  // its children run right here
  }
  control_variables* const now = capture_or_end();
  if (self.running->variables != nullptr) {
    self.running->variables->release();
  }
  self.running->variables = now;
  self.running->flags |= task::kHasMore;
  self.inner->applied = now;
}

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the API's names
namespace {

// Calls the setter `Name` of the runtime below for the running task.
template <function_name Name, class... Values>
void set(Values... values) noexcept {
  const auto real = next_function<Name, void(Values...)>();
  if (is_passive() || thread::here().in_runtime) {
    real(values...);
    return;
  }
  thread& self = thread::here();
  before_setting(self);
  real(values...);
  after_setting(self);
}

}  // namespace

FINEGRAIN_OMP_ENTRY void omp_set_num_threads(int threads) { set<"omp_set_num_threads">(threads); }
FINEGRAIN_OMP_ENTRY void omp_set_num_threads_(const int* threads) {
  set<"omp_set_num_threads">(*threads);
}
FINEGRAIN_OMP_ENTRY void omp_set_num_threads_8_(const long long* threads) {
  set<"omp_set_num_threads">(static_cast<int>(*threads));
}
FINEGRAIN_OMP_ENTRY void omp_set_dynamic(int dynamic) { set<"omp_set_dynamic">(dynamic); }
FINEGRAIN_OMP_ENTRY void omp_set_dynamic_(const int* dynamic) { set<"omp_set_dynamic">(*dynamic); }
FINEGRAIN_OMP_ENTRY void omp_set_dynamic_8_(const long long* dynamic) {
  set<"omp_set_dynamic">(*dynamic != 0 ? 1 : 0);
}
FINEGRAIN_OMP_ENTRY void omp_set_schedule(int kind, int chunk) {
  set<"omp_set_schedule">(kind, chunk);
}
FINEGRAIN_OMP_ENTRY void omp_set_schedule_(const int* kind, const int* chunk) {
  set<"omp_set_schedule">(*kind, *chunk);
}
FINEGRAIN_OMP_ENTRY void omp_set_schedule_8_(const int* kind, const long long* chunk) {
  set<"omp_set_schedule">(*kind, static_cast<int>(*chunk));
}
FINEGRAIN_OMP_ENTRY void omp_set_default_device(int device) {
  set<"omp_set_default_device">(device);
}
FINEGRAIN_OMP_ENTRY void omp_set_default_device_(const int* device) {
  set<"omp_set_default_device">(*device);
}
FINEGRAIN_OMP_ENTRY void omp_set_default_device_8_(const long long* device) {
  set<"omp_set_default_device">(static_cast<int>(*device));
}

// Compiled into target tasks with a thread_limit clause.
FINEGRAIN_OMP_ENTRY void __kmpc_set_thread_limit(void* where, int gtid, int limit) {
  const auto real = next_function<"__kmpc_set_thread_limit", void(void*, int, int)>();
  thread& self = thread::here();
  if (is_passive() || self.running->is(task::kImplicit)) {
    real(where, gtid, limit);
    return;
  }
  self.inner->runtime_id = gtid;
  before_setting(self);
  real(where, gtid, limit);
  after_setting(self);
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

}  // namespace fg::omp
