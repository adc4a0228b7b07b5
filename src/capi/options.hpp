// Reads options of C programs that may be older or newer than the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "finegrain/finegrain.h"
#include "finegrain/thread/scheduling.hpp"

namespace fg::capi {

/// Returns `given`, with members that its program did not know taken from `defaults`; for null, the
/// defaults. Throws std::invalid_argument if `size` is impossible, or the program knows more than
/// this library.
template <class Options>
Options completed(const Options* given, const Options& defaults) {
  Options options = defaults;
  if (given == nullptr) {
    return options;
  }
  if (given->size < sizeof given->size || given->size > sizeof(Options)) {
    throw std::invalid_argument{"the size of the options is unknown to this library"};
  }
  std::memcpy(&options, given, given->size);
  options.size = sizeof(Options);
  return options;
}

/// Checks a time in microseconds. Throws std::invalid_argument.
inline std::int64_t checked_us(std::int64_t time_us) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;  // 35 years
  if (time_us < 0 || time_us > kMost) {
    throw std::invalid_argument{"a budget is negative, or longer than 35 years"};
  }
  return time_us;
}

/// Returns `given`, or `usual` for null. Throws std::bad_alloc.
inline std::string text(const char* given, const char* usual) {
  return given == nullptr ? usual : given;
}

/// Converts the C interface's class and priority. Throws std::invalid_argument.
inline scheduling scheduling_of(int kind, int priority) {
  static constexpr std::array kClasses{std::pair{FG_INHERIT, scheduling_class::inherit},
                                       std::pair{FG_NORMAL, scheduling_class::normal},
                                       std::pair{FG_BATCH, scheduling_class::batch},
                                       std::pair{FG_IDLE, scheduling_class::idle},
                                       std::pair{FG_FIFO, scheduling_class::fifo},
                                       std::pair{FG_ROUND_ROBIN, scheduling_class::round_robin}};
  for (const auto& [number, meant] : kClasses) {
    if (number == kind) {
      return {.kind = meant, .priority = priority};
    }
  }
  throw std::invalid_argument{"no such scheduling class"};
}

}  // namespace fg::capi
