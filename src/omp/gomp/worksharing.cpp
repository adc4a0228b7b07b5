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

// The reductions of a construct: the list of its clause's arrays, if there are any. The runtime
// below appends what its own groups around the construct have; ours are more, and include those.
class clause {
 public:
  // Before the runtime sees it.
  explicit clause(reduction_array first) noexcept : first_{is_not_ours() ? nullptr : first} {
    for (reduction_array each = first_; each != nullptr; each = next_of(each)) {
      last_ = each;
    }
  }
  // After the runtime has made the memory, or found another thread's.
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

template <function_name Name, class Index>
bool start_loop(Index start, Index end, Index step, long schedule, Index chunk, Index* first,
                Index* last, reduction_array data, void** memory) noexcept {
  const clause reductions{data};
  const bool some = next_function<Name, bool(Index, Index, Index, long, Index, Index*, Index*,
                                             reduction_array, void**)>()(
      start, end, step, schedule, chunk, first, last, data, memory);
  reductions.open_group();
  return some;
}

template <function_name Name>
bool start_long_loop(bool up, unsigned long long start, unsigned long long end,
                     unsigned long long step, long schedule, unsigned long long chunk,
                     unsigned long long* first, unsigned long long* last, reduction_array data,
                     void** memory) noexcept {
  const clause reductions{data};
  const bool some =
      next_function<Name, bool(bool, unsigned long long, unsigned long long, unsigned long long,
                               long, unsigned long long, unsigned long long*, unsigned long long*,
                               reduction_array, void**)>()(up, start, end, step, schedule, chunk,
                                                           first, last, data, memory);
  reductions.open_group();
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
  const clause reductions{data};
  const bool some =
      next_function<"GOMP_loop_doacross_start",
                    bool(unsigned, long*, long, long, long*, long*, reduction_array, void**)>()(
          counters, counts, schedule, chunk, first, last, data, memory);
  reductions.open_group();
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
  const clause reductions{data};
  const bool some =
      next_function<"GOMP_loop_ull_doacross_start",
                    bool(unsigned, unsigned long long*, long, unsigned long long,
                         unsigned long long*, unsigned long long*, reduction_array, void**)>()(
          counters, counts, schedule, chunk, first, last, data, memory);
  reductions.open_group();
  return some;
}

FINEGRAIN_OMP_ENTRY unsigned GOMP_sections2_start(unsigned count, reduction_array data,
                                                  void** memory) {
  const clause reductions{data};
  const unsigned first =
      next_function<"GOMP_sections2_start", unsigned(unsigned, reduction_array, void**)>()(
          count, data, memory);
  reductions.open_group();
  return first;
}

FINEGRAIN_OMP_ENTRY void GOMP_scope_start(reduction_array data) {
  const clause reductions{data};
  next_function<"GOMP_scope_start", void(reduction_array)>()(data);
  reductions.open_group();
}

FINEGRAIN_OMP_ENTRY void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  if (!is_not_ours()) {
    close_taskgroup(thread::here());
  }
  next_function<"GOMP_workshare_task_reduction_unregister", void(bool)>()(cancelled);
}

}  // namespace fg::omp::gomp
// NOLINTEND(readability-identifier-naming)
