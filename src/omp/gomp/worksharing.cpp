// GNU's entry points for worksharing constructs with reduction(task, ...): wrappers of the
// runtime's, with a taskgroup of ours around the construct.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::gomp {
namespace {

// The reductions of a construct: the list of its clause's arrays, possibly empty. The runtime below
// appends those of its own enclosing groups; ours include these and more.
class clause {
 public:
  // Called before the runtime sees the list.
  explicit clause(reduction_array first) noexcept : first_{is_not_ours() ? nullptr : first} {
    for (reduction_array each = first_; each != nullptr; each = next_of(each)) {
      last_ = each;
    }
  }
  // Called after the runtime has allocated the memory, or found another thread's.
  void open_group() const noexcept {
    if (first_ != nullptr) {
      taskgroup& group = open_taskgroup(thread::here());
      last_[kNext] = reinterpret_cast<std::uintptr_t>(group.arrays);
      group.arrays = first_;
    }
  }

 private:
  static constexpr std::size_t kNext = 4;

  static reduction_array next_of(reduction_array one) noexcept {
    return static_cast<reduction_array>(pointer_of(one[kNext]));
  }

  reduction_array first_;
  reduction_array last_ = nullptr;
};

// Begins the construct through the runtime's `real`, whose last but one argument is `data`.
template <class Result, class... Arguments>
Result begin_construct(reduction_array data, Result (*real)(Arguments...),
                       std::type_identity_t<Arguments>... arguments) noexcept {
  const clause reductions{data};
  const Result first = real(arguments...);
  reductions.open_group();
  return first;
}

}  // namespace

// Emitted at the beginning of a loop with reduction(task, ...); returns whether the thread gets
// iterations, whose bounds it writes to `first` and `last`.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk,
                                         long* first, long* last, reduction_array data,
                                         void** memory) {
  return begin_construct(data, FINEGRAIN_OMP_NEXT(GOMP_loop_start), start, end, step, schedule,
                         chunk, first, last, data, memory);
}

// Emitted for the same with an ordered clause; returns as GOMP_loop_start does.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ordered_start(long start, long end, long step, long schedule,
                                                 long chunk, long* first, long* last,
                                                 reduction_array data, void** memory) {
  return begin_construct(data, FINEGRAIN_OMP_NEXT(GOMP_loop_ordered_start), start, end, step,
                         schedule, chunk, first, last, data, memory);
}

// Emitted for the same with an ordered(n) clause; returns as GOMP_loop_start does.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_doacross_start(unsigned counters, long* counts, long schedule,
                                                  long chunk, long* first, long* last,
                                                  reduction_array data, void** memory) {
  return begin_construct(data, FINEGRAIN_OMP_NEXT(GOMP_loop_doacross_start), counters, counts,
                         schedule, chunk, first, last, data, memory);
}

// Emitted instead of GOMP_loop_start for a counter of type unsigned long long; returns as that
// does.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_start(boolean up, unsigned long long start,
                                             unsigned long long end, unsigned long long step,
                                             long schedule, unsigned long long chunk,
                                             unsigned long long* first, unsigned long long* last,
                                             reduction_array data, void** memory) {
  return begin_construct(data, FINEGRAIN_OMP_NEXT(GOMP_loop_ull_start), up, start, end, step,
                         schedule, chunk, first, last, data, memory);
}

// Emitted for the same with an ordered clause; returns as GOMP_loop_start does.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_ordered_start(
    boolean up, unsigned long long start, unsigned long long end, unsigned long long step,
    long schedule, unsigned long long chunk, unsigned long long* first, unsigned long long* last,
    reduction_array data, void** memory) {
  return begin_construct(data, FINEGRAIN_OMP_NEXT(GOMP_loop_ull_ordered_start), up, start, end,
                         step, schedule, chunk, first, last, data, memory);
}

// Emitted for the same with an ordered(n) clause; returns as GOMP_loop_start does.
FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_doacross_start(unsigned counters, unsigned long long* counts,
                                                      long schedule, unsigned long long chunk,
                                                      unsigned long long* first,
                                                      unsigned long long* last,
                                                      reduction_array data, void** memory) {
  return begin_construct(data, FINEGRAIN_OMP_NEXT(GOMP_loop_ull_doacross_start), counters, counts,
                         schedule, chunk, first, last, data, memory);
}

// Emitted at the beginning of a sections construct with reduction(task, ...); returns the number of
// the section to run first, 0 if there is none left.
FINEGRAIN_OMP_ENTRY unsigned GOMP_sections2_start(unsigned count, reduction_array data,
                                                  void** memory) {
  return begin_construct(data, FINEGRAIN_OMP_NEXT(GOMP_sections2_start), count, data, memory);
}

// Emitted at the beginning of a scope construct with reduction(task, ...); returns with the memory
// of the copies in the array.
FINEGRAIN_OMP_ENTRY void GOMP_scope_start(reduction_array data) {
  const clause reductions{data};
  FINEGRAIN_OMP_NEXT(GOMP_scope_start)(data);
  reductions.open_group();
}

// Emitted at the end of a worksharing construct with reduction(task, ...); returns after its
// barrier or, if the construct was cancelled, without one.
FINEGRAIN_OMP_ENTRY void GOMP_workshare_task_reduction_unregister(boolean cancelled) {
  if (!is_not_ours()) {
    close_taskgroup(thread::here());
  }
  FINEGRAIN_OMP_NEXT(GOMP_workshare_task_reduction_unregister)(cancelled);
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming)
