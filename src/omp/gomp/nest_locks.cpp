// Nested locks of GNU's runtime, which belong to tasks: it would take all tasks of a thread for
// one.
#include "../export.hpp"
#include "../next_function.hpp"
#include "finegrain/core/atomic.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; with an underscore those of Fortran
namespace fg::omp::gomp {
namespace {

// An omp_nest_lock_t as the runtime below initialises it, and destroys it: libgomp's
// config/linux/omp-lock.h, since gcc 4.4. Its first word is an omp_lock_t.
struct nest_lock {
  int lock;
  int count;            // of the holder
  atomic<task*> owner;  // relaxed: only the holder's own comparison has to be right
};

// Where the API's function `Name` goes when the function around `caller` calls it. Per thread the
// last caller is remembered.
template <function_name Name, class Signature>
struct bound {
  const void* caller = nullptr;
  Signature* real = nullptr;
  bool is_ours = false;

  static const bound& of(const void* caller) noexcept {
    constinit static thread_local bound last;
    if (last.caller != caller) {
      const auto [address, is_gnus] = find_for_caller(caller, Name.text);
      last = {caller, reinterpret_cast<Signature*>(address), is_gnus && !is_not_ours()};
    }
    return last;
  }
};

// What locks and unlocks the first word.
template <function_name Name, class Result>
Result call_plain(nest_lock& one) noexcept {
  return function_beside<"GOMP_parallel", Name, Result(int*)>()(&one.lock);
}

bool is_held(const nest_lock& one, const task& by) noexcept {
  return one.owner.load(memory_order_relaxed) == &by;
}

void hold(nest_lock& one, task& by) noexcept {
  one.owner.store(&by, memory_order_relaxed);
  ++one.count;
}

// Each of the following: `given` is what the API's function `Name` was given for `one`.

template <function_name Name, class Given>
void set(Given* given, nest_lock* one, const void* caller) noexcept {
  const auto& target = bound<Name, void(Given*)>::of(caller);
  if (!target.is_ours) {
    target.real(given);
    return;
  }
  task& running = *thread::here().running;
  if (!is_held(*one, running)) {
    call_plain<"omp_set_lock", void>(*one);
  }
  hold(*one, running);
}

template <function_name Name, class Given>
int test(Given* given, nest_lock* one, const void* caller) noexcept {
  const auto& target = bound<Name, int(Given*)>::of(caller);
  if (!target.is_ours) {
    return target.real(given);
  }
  task& running = *thread::here().running;
  if (!is_held(*one, running) && call_plain<"omp_test_lock", int>(*one) == 0) {
    return 0;
  }
  hold(*one, running);
  return one->count;
}

template <function_name Name, class Given>
void unset(Given* given, nest_lock* one, const void* caller) noexcept {
  const auto& target = bound<Name, void(Given*)>::of(caller);
  if (!target.is_ours) {
    target.real(given);
    return;
  }
  if (--one->count == 0) {
    one->owner.store(nullptr, memory_order_relaxed);
    call_plain<"omp_unset_lock", void>(*one);
  }
}

}  // namespace

FINEGRAIN_OMP_ENTRY void omp_set_nest_lock(nest_lock* one) {
  set<"omp_set_nest_lock">(one, one, __builtin_return_address(0));
}
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock(nest_lock* one) {
  return test<"omp_test_nest_lock">(one, one, __builtin_return_address(0));
}
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock(nest_lock* one) {
  unset<"omp_unset_nest_lock">(one, one, __builtin_return_address(0));
}

// In Fortran a variable of the lock's kind points to it.
FINEGRAIN_OMP_ENTRY void omp_set_nest_lock_(nest_lock** variable) {
  set<"omp_set_nest_lock_">(variable, *variable, __builtin_return_address(0));
}
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock_(nest_lock** variable) {
  return test<"omp_test_nest_lock_">(variable, *variable, __builtin_return_address(0));
}
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock_(nest_lock** variable) {
  unset<"omp_unset_nest_lock_">(variable, *variable, __builtin_return_address(0));
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming)
