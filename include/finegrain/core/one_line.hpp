// Sanitizes untrusted text for one-line error messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// `text`, whoever wrote it, as one line of an error can hold it: a question mark for each byte
/// that would end the line or steer a terminal. Any thread. Throws std::bad_alloc.
inline std::string one_line(std::string_view text) {
  std::string line{text};
  const auto is_control = [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  };
  std::replace_if(line.begin(), line.end(), is_control, '?');
  return line;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
