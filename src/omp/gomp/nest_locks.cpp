// Nested locks of GNU's runtime, which belong to tasks: it would take all tasks of a thread for
// one.
#include "../export.hpp"
#include "../next_function.hpp"
#include "finegrain/core/atomic.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming,readability-avoid-return-with-void-value): the API's
// names, with an underscore those of Fortran; and jumps
namespace fg::omp::gomp {
namespace {

// An omp_nest_lock_t as the runtime below initialises it, and destroys it: libgomp's
// config/linux/omp-lock.h, since gcc 4.4. Its first word is an omp_lock_t.
struct nest_lock {
  int lock;
  int count;  // of the holder
  // Who holds it. Relaxed throughout, because only the holder's own comparison has to be right: it
  // reads what it wrote. Anybody else reads another task, or null, and asks the lock, which orders
  // what it guards. A new task in the block of a former holder does not read itself by mistake: the
  // block comes to it behind the null that the former one has left (task_memory.hpp).
  atomic<task*> owner;
};

// What the function around `caller` calls by the API's name `Name`, if it is not ours; otherwise
// null. Per thread the last caller is remembered. A function of its own, because what it has on its
// stack would keep the entry points from passing calls on by a jump, so that a tool sees the
// caller.
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

// What locks and unlocks the first word.
template <function_name Name, class Result>
Result call_plain(nest_lock& one) noexcept {
  return function_beside<"GOMP_parallel", Name, Result(int*)>()(&one.lock);
}

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
    call_plain<"omp_set_lock", void>(one);
  }
  hold(one, running);
}

int test(nest_lock& one) noexcept {
  task& running = *thread::here().running;
  if (!is_held(one, running) && call_plain<"omp_test_lock", int>(one) == 0) {
    return 0;
  }
  hold(one, running);
  return one.count;
}

void unset(nest_lock& one) noexcept {
  if (--one.count == 0) {
    one.owner.store(nullptr, memory_order_relaxed);  // the unlocking behind it orders it
    call_plain<"omp_unset_lock", void>(one);
  }
}

}  // namespace

FINEGRAIN_OMP_ENTRY void omp_set_nest_lock(nest_lock* one) {
  constexpr auto passed_on = &passed_on_from<"omp_set_nest_lock", void(nest_lock*)>;
  if (auto* const real = passed_on(__builtin_return_address(0))) {
    return real(one);
  }
  set(*one);
}
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock(nest_lock* one) {
  constexpr auto passed_on = &passed_on_from<"omp_test_nest_lock", int(nest_lock*)>;
  if (auto* const real = passed_on(__builtin_return_address(0))) {
    return real(one);
  }
  return test(*one);
}
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock(nest_lock* one) {
  constexpr auto passed_on = &passed_on_from<"omp_unset_nest_lock", void(nest_lock*)>;
  if (auto* const real = passed_on(__builtin_return_address(0))) {
    return real(one);
  }
  unset(*one);
}

// In Fortran a variable of the lock's kind points to it.
FINEGRAIN_OMP_ENTRY void omp_set_nest_lock_(nest_lock** variable) {
  constexpr auto passed_on = &passed_on_from<"omp_set_nest_lock_", void(nest_lock**)>;
  if (auto* const real = passed_on(__builtin_return_address(0))) {
    return real(variable);
  }
  set(**variable);
}
FINEGRAIN_OMP_ENTRY int omp_test_nest_lock_(nest_lock** variable) {
  constexpr auto passed_on = &passed_on_from<"omp_test_nest_lock_", int(nest_lock**)>;
  if (auto* const real = passed_on(__builtin_return_address(0))) {
    return real(variable);
  }
  return test(**variable);
}
FINEGRAIN_OMP_ENTRY void omp_unset_nest_lock_(nest_lock** variable) {
  constexpr auto passed_on = &passed_on_from<"omp_unset_nest_lock_", void(nest_lock**)>;
  if (auto* const real = passed_on(__builtin_return_address(0))) {
    return real(variable);
  }
  unset(**variable);
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming,readability-avoid-return-with-void-value)
