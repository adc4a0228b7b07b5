// The assertions of a fuzz target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

namespace fg::test {

/// Ends the program unless the property holds; libFuzzer reports that as a finding.
inline void require(bool holds, std::string_view property,
                    std::source_location where = std::source_location::current()) {
  if (!holds) {
    std::fprintf(stderr, "%s:%u: not so: %.*s\n", where.file_name(),
                 static_cast<unsigned>(where.line()), static_cast<int>(property.size()),
                 property.data());
    std::abort();
  }
}

/// The text of an error: not empty, one line, without terminal control characters.
inline void require_one_line(std::string_view words) {
  require(!words.empty(), "an error has words");
  for (const char letter : words) {
    require(static_cast<unsigned char>(letter) >= ' ' && letter != '\x7f',
            "an error is one line of text");
  }
}

}  // namespace fg::test
