// The error directive, at execution.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "../export.hpp"
#include "../kmpc/kmpc.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
namespace fg::omp::runtime {
namespace {

void print(const char* begin, const char* message, int length) noexcept {
  std::fprintf(stderr, "%serror directive encountered%s%.*s\n", begin, length != 0 ? ": " : "",
               length, message);
}

void print_of_clang(const char* begin, const char* message) noexcept {
  constexpr int kWhole = -1;
  message != nullptr ? print(begin, message, kWhole) : print(begin, "", 0);
}

// In libgomp's words, for which tests of programs look. Without a message: null; its length is not
// known: all bits set.
void print_of_gcc(const char* begin, const char* message, std::size_t length) noexcept {
  message != nullptr ? print(begin, message, static_cast<int>(length)) : print(begin, "", 0);
}

}  // namespace

// Emitted for an error directive with at(execution); returns after a warning, and ends the program
// after an error.
FINEGRAIN_OMP_ENTRY void __kmpc_error(kmpc::ident* /*where*/, int severity, const char* message) {
  constexpr int kWarning = 1;
  if (severity == kWarning) {
    print_of_clang("finegrain-omp: warning: ", message);
    return;
  }
  print_of_clang("finegrain-omp: error: ", message);
  std::exit(EXIT_FAILURE);
}

// The same for each severity.
FINEGRAIN_OMP_ENTRY void GOMP_warning(const char* message, std::size_t length) {
  print_of_gcc("\nlibgomp: ", message, length);
}
FINEGRAIN_OMP_ENTRY void GOMP_error(const char* message, std::size_t length) {
  print_of_gcc("\nlibgomp: fatal error: ", message, length);
  std::exit(EXIT_FAILURE);
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
