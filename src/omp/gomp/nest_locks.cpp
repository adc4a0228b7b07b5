// Nested locks of GNU's runtime. They belong to tasks, and the runtime would take all of our tasks
// on a thread for one.
// SPDX-License-Identifier: Apache-2.0
#include "../export.hpp"
#include "../next_function.hpp"
#include "finegrain/core/atomic.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming,readability-avoid-return-with-void-value): the API's
// names (Fortran's end in an underscore), and tail calls
namespace fg::omp::gomp {
namespace {

// An omp_nest_lock_t as the runtime below initialises and destroys it: libgomp's
// config/linux/omp-lock.h, since gcc 4.4. Its first word is an omp_lock_t.
struct nest_lock {
  int lock;
  int count;  // of the holder
  // The holder. Relaxed throughout, because only the holder's own comparison must be right, and it
  // reads what it wrote. Any other task reads a different value, or null, and tries the lock, which
  // orders what it guards. A new task in the block of a former holder is not mistaken for the
  // holder: it gets the block after the former one has written null here (task_memory.hpp).
  atomic<task*> owner;
};

// Returns the function that `caller` would have called by this name if it is not ours; otherwise
// null. Each thread remembers its last caller. Not inline, because its stack frame would keep the
// entry points from passing calls on by a tail call, which shows a tool the caller.
template <function_name Name, class Signature>
[[gnu::noinline]] Signature* passed_on_from(const void* caller) noexcept {
  struct answer {
    const void* caller;
    Signature* real;
  };
  constinit static thread_local answer last{nullptr, nullptr};
  if (last.caller != caller) {
    const auto [address, is_gnus] = find_for_caller(caller, Name.text);
    const bool is_ours = is_gnus && !is_not_ours();
    last = {caller, is_ours ? nullptr : reinterpret_cast<Signature*>(address)};
  }
  return last.real;
}

#define FINEGRAIN_OMP_PASSED_ON(name) \
  (&passed_on_from<#name, decltype(name)>)(__builtin_return_address(0))

bool is_held(const nest_lock& one, const task& by) noexcept {
  return one.owner.load(memory_order_relaxed) == &by;  // see `owner`
}

void hold(nest_lock& one, task& by) noexcept {
  one.owner.store(&by, memory_order_relaxed);  // for `by` itself: see `owner`
  ++one.count;
}

void set(nest_lock& one) noexcept {
  task& running = *thread::here().running;
  if (!is_held(one, running)) {
    FINEGRAIN_OMP_BESIDE(GOMP_parallel, omp_set_lock)(&one.lock);
  }
  hold(one, running);
}

int test(nest_lock& one) noexcept {
  task& running = *thread::here().running;
  if (!is_held(one, running) &&
      FINEGRAIN_OMP_BESIDE(GOMP_parallel, omp_test_lock)(&one.lock) == 0) {
    return 0;
  }
  hold(one, running);
  return one.count;
}

void unset(nest_lock& one) noexcept {
  if (--one.count == 0) {
    one.owner.store(nullptr, memory_order_relaxed);  // ordered by the unlocking after it
    FINEGRAIN_OMP_BESIDE(GOMP_parallel, omp_unset_lock)(&one.lock);
  }
}

}  // namespace

// Called by the program; returns when the running task has acquired the lock once more.
FINEGRAIN_OMP_ENTRY void omp_set_nest_lock(nest_lock* one) {
  if (auto* const real = FINEGRAIN_OMP_PASSED_ON(omp_set_nest_lock)) {
    return real(one);
  }
  set(*one);
}

// Called by the program; returns how many times the running task now holds the lock, 0 if another
// task has it.
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock(nest_lock* one) {
  if (auto* const real = FINEGRAIN_OMP_PASSED_ON(omp_test_nest_lock)) {
    return real(one);
  }
  return test(*one);
}

// Called by the program; releases the running task's hold on the lock once.
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock(nest_lock* one) {
  if (auto* const real = FINEGRAIN_OMP_PASSED_ON(omp_unset_nest_lock)) {
    return real(one);
  }
  unset(*one);
}

// Called by Fortran programs, whose lock variable points to the lock.
FINEGRAIN_OMP_ENTRY void omp_set_nest_lock_(nest_lock** variable) {
  if (auto* const real = FINEGRAIN_OMP_PASSED_ON(omp_set_nest_lock_)) {
    return real(variable);
  }
  set(**variable);
}
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock_(nest_lock** variable) {
  if (auto* const real = FINEGRAIN_OMP_PASSED_ON(omp_test_nest_lock_)) {
    return real(variable);
  }
  return test(**variable);
}
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock_(nest_lock** variable) {
  if (auto* const real = FINEGRAIN_OMP_PASSED_ON(omp_unset_nest_lock_)) {
    return real(variable);
  }
  unset(**variable);
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming,readability-avoid-return-with-void-value)
