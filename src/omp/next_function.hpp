// The functions of the runtime below, by name.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fg::omp {

/// The address of `name` in the runtime below: the next library in the search order that has it, or
/// where a plugin has brought the runtime along, the one that is loaded. Ends the program with one
/// line where there is none. Any thread.
void* find_next(const char* name) noexcept;
/// The same; null where there is none.
void* find_next_if_any(const char* name) noexcept;

/// The address of `name` in the library that `function` lies in: two runtimes may be loaded, and
/// what one says of a region is true of its own regions only. Ends the program where there is none.
void* find_beside(const void* function, const char* name) noexcept;

/// The function that `caller`, an address in a library or the program, would have called without
/// the drop-in, and whether GNU's runtime has it. For calls that both runtimes have and mean
/// differently. Ends the program where there is none. Reads the caller's list of libraries: not for
/// every call.
struct bound_function {
  void* address;
  bool is_gnus;
};
bound_function find_for_caller(const void* caller, const char* name) noexcept;

/// Whether both functions lie in one library. A system-wide search: not for every call.
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

/// The function `Name` beside `Neighbour`, which is of the runtime below.
template <function_name Neighbour, function_name Name, class Signature>
Signature* function_beside() noexcept {
  static auto* const found =
      reinterpret_cast<Signature*>(find_beside(find_next(Neighbour.text), Name.text));
  return found;
}

}  // namespace fg::omp
