// Looks up functions of the runtime below by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace fg::omp {

/// Returns the address of `name` in the runtime below: in the next library of the search order that
/// defines it or, if a plugin has brought its own runtime, in the loaded one. Prints one line and
/// ends the program if there is none. Any thread.
void* find_next(const char* name) noexcept;
/// Like `find_next`, but returns null if there is none.
void* find_next_if_any(const char* name) noexcept;

/// Returns the address of `name` in the library that holds `function`: two runtimes may be loaded,
/// and each knows only its own regions. Ends the program if there is none.
void* find_beside(const void* function, const char* name) noexcept;

/// The function that `caller`, an address in a library or the program, would have called without
/// the drop-in, and whether it is GNU's. For functions that both runtimes define with different
/// meanings. Ends the program if there is none. Slow: reads the caller's list of libraries.
struct bound_function {
  void* address;
  bool is_gnus;
};
bound_function find_for_caller(const void* caller, const char* name) noexcept;

/// Whether both functions are in the same library. Slow: searches all libraries.
bool are_in_one_library(const void* function, const void* other) noexcept;

/// A function's name as a template argument.
template <std::size_t N>
struct function_name {
  // NOLINTNEXTLINE(google-explicit-constructor): from a literal
  constexpr function_name(const char (&literal)[N]) noexcept { std::copy_n(literal, N, text); }
  char text[N];
};

/// Returns the function `Name` of the runtime below, looked up once.
template <function_name Name, class Signature>
Signature* next_function() noexcept {
  static auto* const found = reinterpret_cast<Signature*>(find_next(Name.text));
  return found;
}

/// Returns the function `Name` of the library that holds the runtime's `Neighbour`, looked up once.
template <function_name Neighbour, function_name Name, class Signature>
Signature* function_beside() noexcept {
  static auto* const found =
      reinterpret_cast<Signature*>(find_beside(find_next(Neighbour.text), Name.text));
  return found;
}

/// The runtime's function of this name. It must be declared, below or by its entry point.
#define FINEGRAIN_OMP_NEXT(name) (::fg::omp::next_function<#name, decltype(name)>())
#define FINEGRAIN_OMP_BESIDE(neighbour, name) \
  (::fg::omp::function_beside<#neighbour, #name, decltype(name)>())

// Functions that the drop-in calls but does not define, or calls outside of their definition. For
// `decltype` only.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the API's names
extern "C" {
void GOMP_loop_end_nowait();
void GOMP_sections_end_nowait();
int omp_get_cancellation() noexcept;
int omp_get_default_device() noexcept;
int omp_get_dynamic() noexcept;
int omp_get_max_task_priority() noexcept;
int omp_get_max_threads() noexcept;
int omp_get_num_procs() noexcept;
int omp_get_num_threads() noexcept;
void omp_get_schedule(int* kind, int* chunk);
int omp_get_thread_limit() noexcept;
int omp_get_thread_num() noexcept;
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
