// GNU's entry points for worksharing constructs with a reduction(task, ...) clause: the real ones,
// and a taskgroup of ours around the construct.
#include <cstddef>
#include <cstdint>

#include "../constructs.hpp"
#include "../export.hpp"
#include "../next_function.hpp"
#include "gomp.hpp"

// NOLINTBEGIN(readability-identifier-naming): the ABI's names
namespace fg::omp::gomp {
namespace {

// After the runtime below has made the memory of `data`, or found another thread's.
void open_group(reduction_array data) noexcept {
  if (data == nullptr || is_not_ours()) {
    return;
  }
  taskgroup& group = open_taskgroup(thread::here());
  // The runtime has ended the list where its own groups end; ours go on.
  reduction_array last = data;
  while (last[4] != 0) {
    last = static_cast<reduction_array>(pointer_of(last[4]));
  }
  last[4] = reinterpret_cast<std::uintptr_t>(group.arrays);
  group.arrays = data;
}

template <function_name Name, class Index>
bool start_loop(Index start, Index end, Index step, long schedule, Index chunk, Index* first,
                Index* last, reduction_array data, void** memory) noexcept {
  const bool some = next_function<Name, bool(Index, Index, Index, long, Index, Index*, Index*,
                                             reduction_array, void**)>()(
      start, end, step, schedule, chunk, first, last, data, memory);
  open_group(data);
  return some;
}

template <function_name Name>
bool start_long_loop(bool up, unsigned long long start, unsigned long long end,
                     unsigned long long step, long schedule, unsigned long long chunk,
                     unsigned long long* first, unsigned long long* last, reduction_array data,
                     void** memory) noexcept {
  const bool some =
      next_function<Name, bool(bool, unsigned long long, unsigned long long, unsigned long long,
                               long, unsigned long long, unsigned long long*, unsigned long long*,
                               reduction_array, void**)>()(up, start, end, step, schedule, chunk,
                                                           first, last, data, memory);
  open_group(data);
  return some;
}

}  // namespace

FINEGRAIN_OMP_ENTRY bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk,
                                         long* first, long* last, reduction_array data,
                                         void** memory) {
  return start_loop<"GOMP_loop_start">(start, end, step, schedule, chunk, first, last, data,
                                       memory);
}

FINEGRAIN_OMP_ENTRY bool GOMP_loop_ordered_start(long start, long end, long step, long schedule,
                                                 long chunk, long* first, long* last,
                                                 reduction_array data, void** memory) {
  return start_loop<"GOMP_loop_ordered_start">(start, end, step, schedule, chunk, first, last, data,
                                               memory);
}

FINEGRAIN_OMP_ENTRY bool GOMP_loop_doacross_start(unsigned counters, long* counts, long schedule,
                                                  long chunk, long* first, long* last,
                                                  reduction_array data, void** memory) {
  const bool some =
      next_function<"GOMP_loop_doacross_start",
                    bool(unsigned, long*, long, long, long*, long*, reduction_array, void**)>()(
          counters, counts, schedule, chunk, first, last, data, memory);
  open_group(data);
  return some;
}

// The same for loops over unsigned long long.

FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_start(bool up, unsigned long long start,
                                             unsigned long long end, unsigned long long step,
                                             long schedule, unsigned long long chunk,
                                             unsigned long long* first, unsigned long long* last,
                                             reduction_array data, void** memory) {
  return start_long_loop<"GOMP_loop_ull_start">(up, start, end, step, schedule, chunk, first, last,
                                                data, memory);
}

FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_ordered_start(
    bool up, unsigned long long start, unsigned long long end, unsigned long long step,
    long schedule, unsigned long long chunk, unsigned long long* first, unsigned long long* last,
    reduction_array data, void** memory) {
  return start_long_loop<"GOMP_loop_ull_ordered_start">(up, start, end, step, schedule, chunk,
                                                        first, last, data, memory);
}

FINEGRAIN_OMP_ENTRY bool GOMP_loop_ull_doacross_start(unsigned counters, unsigned long long* counts,
                                                      long schedule, unsigned long long chunk,
                                                      unsigned long long* first,
                                                      unsigned long long* last,
                                                      reduction_array data, void** memory) {
  const bool some =
      next_function<"GOMP_loop_ull_doacross_start",
                    bool(unsigned, unsigned long long*, long, unsigned long long,
                         unsigned long long*, unsigned long long*, reduction_array, void**)>()(
          counters, counts, schedule, chunk, first, last, data, memory);
  open_group(data);
  return some;
}

FINEGRAIN_OMP_ENTRY unsigned GOMP_sections2_start(unsigned count, reduction_array data,
                                                  void** memory) {
  const unsigned first =
      next_function<"GOMP_sections2_start", unsigned(unsigned, reduction_array, void**)>()(
          count, data, memory);
  open_group(data);
  return first;
}

FINEGRAIN_OMP_ENTRY void GOMP_scope_start(reduction_array data) {
  next_function<"GOMP_scope_start", void(reduction_array)>()(data);
  open_group(data);
}

FINEGRAIN_OMP_ENTRY void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  if (!is_not_ours()) {
    close_taskgroup(thread::here());
  }
  next_function<"GOMP_workshare_task_reduction_unregister", void(bool)>()(cancelled);
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming)
