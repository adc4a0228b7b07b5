// The errors with which a program ends without a number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace fg::bench {

/// An invalid result, which must not be reported as a number: the program ends with status 3.
struct wrong_result : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws wrong_result if there is a fault.
inline void require_none(const std::optional<std::string>& fault) {
  if (fault) {
    throw wrong_result(*fault);
  }
}

/// Arguments that only the measurement can check: status 2.
struct wrong_arguments : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

}  // namespace fg::bench
