// Options of C programs that may be older or newer than the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace fg::capi {

/// `given`, with the members that its program did not know as in `defaults`. Null: the defaults.
/// Throws std::invalid_argument where `size` can not be, or the program knows more than this
/// library.
template <class Options>
Options completed(const Options* given, const Options& defaults) {
  Options options = defaults;
  if (given == nullptr) {
    return options;
  }
  if (given->size < sizeof given->size || given->size > sizeof(Options)) {
    throw std::invalid_argument{"the size of the options is not one that this library knows"};
  }
  std::memcpy(&options, given, given->size);
  options.size = sizeof(Options);
  return options;
}

/// A time in microseconds. Throws std::invalid_argument.
inline std::int64_t checked_us(std::int64_t time_us) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;  // 35 years
  if (time_us < 0 || time_us > kMost) {
    throw std::invalid_argument{"a budget is negative, or longer than 35 years"};
  }
  return time_us;
}

}  // namespace fg::capi
