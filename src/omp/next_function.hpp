// Functions of the runtime below, found by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace fg::omp {

/// The address of `name` in the runtime below: in the next library of the search order that has it,
/// or, where a plugin has brought the runtime along, in the one that is loaded. Ends the program
/// with one line if there is none. Any thread.
void* find_next(const char* name) noexcept;
/// The same; null if there is none.
void* find_next_if_any(const char* name) noexcept;

/// The address of `name` in the library that holds `function`: two runtimes may be loaded, and each
/// of them knows its own regions only. Ends the program if there is none.
void* find_beside(const void* function, const char* name) noexcept;

/// The function that `caller`, an address in a library or the program, would have called without
/// the drop-in, and whether it is GNU's. For calls that both runtimes have and mean differently.
/// Ends the program if there is none. Reads the caller's list of libraries: not for every call.
struct bound_function {
  void* address;
  bool is_gnus;
};
bound_function find_for_caller(const void* caller, const char* name) noexcept;

/// Whether both functions lie in one library. Searches all libraries: not for every call.
bool are_in_one_library(const void* function, const void* other) noexcept;

/// A function's name as a template argument.
template <std::size_t N>
struct function_name {
  // NOLINTNEXTLINE(google-explicit-constructor): from a literal
  constexpr function_name(const char (&literal)[N]) noexcept { std::copy_n(literal, N, text); }
  char text[N];
};

/// The function `Name` of the runtime below, looked up once.
template <function_name Name, class Signature>
Signature* next_function() noexcept {
  static auto* const found = reinterpret_cast<Signature*>(find_next(Name.text));
  return found;
}

/// The function `Name` in the library that holds the `Neighbour` of the runtime below.
template <function_name Neighbour, function_name Name, class Signature>
Signature* function_beside() noexcept {
  static auto* const found =
      reinterpret_cast<Signature*>(find_beside(find_next(Neighbour.text), Name.text));
  return found;
}

/// The runtime's function of this name, which has been declared: here, or by its entry point.
#define FINEGRAIN_OMP_NEXT(name) (::fg::omp::next_function<#name, decltype(name)>())
#define FINEGRAIN_OMP_BESIDE(neighbour, name) \
  (::fg::omp::function_beside<#neighbour, #name, decltype(name)>())

// What the drop-in calls and does not define, or calls elsewhere than in its definition; for
// `decltype` only.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the API's names
extern "C" {
void GOMP_loop_end_nowait();
void GOMP_sections_end_nowait();
int omp_get_cancellation();
int omp_get_default_device();
int omp_get_dynamic();
int omp_get_max_task_priority();
int omp_get_max_threads();
int omp_get_num_procs();
int omp_get_num_threads();
void omp_get_schedule(int* kind, int* chunk);
int omp_get_thread_limit();
int omp_get_thread_num();
void omp_set_default_device(int device);
void omp_set_dynamic(int dynamic);
void omp_set_num_threads(int threads);
void omp_set_schedule(int kind, int chunk);
void omp_set_lock(int* lock);
int omp_test_lock(int* lock);
void omp_unset_lock(int* lock);
void __kmpc_set_thread_limit(void* where, int gtid, int limit);
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

}  // namespace fg::omp
