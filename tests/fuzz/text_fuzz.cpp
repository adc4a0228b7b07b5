// text_file.hpp: splitting text, and numbers.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "finegrain/host/text_file.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::test::require;

void cut_and_join(std::string_view text, char separator) {
  std::string_view rest = text;
  std::string joined;
  for (bool first = true; !rest.empty(); first = false) {
    joined += first ? "" : std::string{separator};
    const std::string_view piece = fg::detail::take_until(rest, separator);
    require(piece.find(separator) == std::string_view::npos, "a piece has no separator");
    joined += piece;
  }
  // No piece follows a separator at the very end.
  require(joined == text || joined + separator == text, "the pieces are the text");
}

// A second parser: the C library's, which skips white space and accepts a plus.
void parse_number(const std::string& text) {
  const std::optional<std::int64_t> ours = fg::detail::parse_integer<std::int64_t>(text);
  const bool is_plain = !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
  char* end = nullptr;
  errno = 0;
  const long long theirs = std::strtoll(text.c_str(), &end, 10);
  const bool whole = is_plain && errno == 0 && *end == '\0' && end != text.c_str();
  require(ours.has_value() == whole, "a number is read exactly where there is nothing else");
  require(!ours || *ours == theirs, "a number has its value");
  const std::optional<int> small = fg::detail::parse_integer<int>(text);
  require(!small || *small == theirs, "a smaller type holds the same number, or none");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const auto separator = input.ConsumeIntegral<char>();
  const std::string text = input.ConsumeRemainingBytesAsString();
  cut_and_join(text, separator);
  parse_number(text);
  return 0;
}
