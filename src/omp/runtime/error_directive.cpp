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

void print(const char* severity, const char* message, int length) noexcept {
  std::fprintf(stderr, "finegrain-omp: %s: error directive encountered%s%.*s\n", severity,
               length != 0 ? ": " : "", length, message);
}

void print_message(const char* severity, const char* message) noexcept {
  constexpr int kWhole = -1;
  message != nullptr ? print(severity, message, kWhole) : print(severity, "", 0);
}

}  // namespace

// Emitted for an error directive with at(execution); returns after a warning, and ends the program
// after an error.
FINEGRAIN_OMP_ENTRY void __kmpc_error(kmpc::ident* /*where*/, int severity, const char* message) {
  constexpr int kWarning = 1;
  if (severity == kWarning) {
    print_message("warning", message);
    return;
  }
  print_message("error", message);
  std::exit(EXIT_FAILURE);
}

// The same for each severity. Without a message: null; its length is not known: all bits set.
FINEGRAIN_OMP_ENTRY void GOMP_warning(const char* message, std::size_t length) {
  message != nullptr ? print("warning", message, static_cast<int>(length))
                     : print_message("warning", nullptr);
}
FINEGRAIN_OMP_ENTRY void GOMP_error(const char* message, std::size_t length) {
  message != nullptr ? print("error", message, static_cast<int>(length))
                     : print_message("error", nullptr);
  std::exit(EXIT_FAILURE);
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
