// The functions of OpenMP's API about places.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "binding_request.hpp"
#include "entry.hpp"
#include "places.hpp"
#include "thread_binding.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; Fortran's end in an underscore
namespace fg::omp::runtime {
namespace {

// A thread that asks for its place is at one, unless it is to be bound in regions only.
placement here() noexcept {
  const thread& self = thread::here();
  if (!requested_binding().resets) {
    bind_initial_thread(self);
  }
  return placement_of(self);
}

const place* find_place(int number) noexcept {
  const auto& all = places().places;
  const auto at = static_cast<std::size_t>(number);
  return number >= 0 && at < all.size() ? &all[at] : nullptr;
}

template <class Number>
void copy_ids(int number, Number* ids) noexcept {
  if (const place* const found = find_place(number)) {
    std::ranges::copy(*found, ids);
  }
}

template <class Number>
void copy_partition(Number* numbers) noexcept {
  const placement mine = here();
  for (int i = 0; i < mine.count; ++i) {
    numbers[i] = mine.first + i;
  }
}

}  // namespace

// Called by the program.

FINEGRAIN_OMP_GETTER(int, omp_get_num_places) { return static_cast<int>(places().places.size()); }
FINEGRAIN_OMP_GETTER(int, omp_get_place_num) { return here().place; }
FINEGRAIN_OMP_GETTER(int, omp_get_partition_num_places) { return here().count; }

// The CPUs of a place; none if there is no such place.
FINEGRAIN_OMP_ENTRY int omp_get_place_num_procs(int number) {
  const place* const found = find_place(number);
  return found != nullptr ? static_cast<int>(found->size()) : 0;
}
FINEGRAIN_OMP_ENTRY int omp_get_place_num_procs_(const int* number) {
  return omp_get_place_num_procs(*number);
}
FINEGRAIN_OMP_ENTRY int omp_get_place_num_procs_8_(const long long* number) {
  return omp_get_place_num_procs(static_cast<int>(*number));
}
FINEGRAIN_OMP_ENTRY void omp_get_place_proc_ids(int number, int* ids) { copy_ids(number, ids); }
FINEGRAIN_OMP_ENTRY void omp_get_place_proc_ids_(const int* number, int* ids) {
  copy_ids(*number, ids);
}
FINEGRAIN_OMP_ENTRY void omp_get_place_proc_ids_8_(const long long* number, long long* ids) {
  copy_ids(static_cast<int>(*number), ids);
}

FINEGRAIN_OMP_ENTRY void omp_get_partition_place_nums(int* numbers) { copy_partition(numbers); }
FINEGRAIN_OMP_ENTRY void omp_get_partition_place_nums_(int* numbers) { copy_partition(numbers); }
FINEGRAIN_OMP_ENTRY void omp_get_partition_place_nums_8_(long long* numbers) {
  copy_partition(numbers);
}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
