// Reads the values of environment variables about places from left to right.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <strings.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace fg::omp::runtime {

/// Every function skips the blanks before what it reads.
class text_reader {
 public:
  /// Larger numbers are read as this one: more than any system has CPUs.
  static constexpr int kMost = 1 << 20;

  explicit text_reader(std::string_view text) noexcept : rest_{text} {}

  [[nodiscard]] bool is_at_end() noexcept {
    skip_blanks();
    return rest_.empty();
  }
  /// Whether this symbol is next; it is left behind then.
  bool take(char symbol) noexcept {
    skip_blanks();
    const bool is_there = rest_.starts_with(symbol);
    rest_.remove_prefix(is_there ? 1 : 0);
    return is_there;
  }
  /// A number without a sign; empty if there is none.
  std::optional<int> number() noexcept {
    skip_blanks();
    if (rest_.empty() || !is_digit(rest_.front())) {
      return std::nullopt;
    }
    int value = 0;
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1)) {
      value = std::min(value * 10 + (rest_.front() - '0'), kMost);
    }
    return value;
  }
  std::optional<int> signed_number() noexcept {
    const bool is_negative = take('-');
    if (!is_negative) {
      take('+');
    }
    const std::optional<int> value = number();
    return value && is_negative ? std::optional{-*value} : value;
  }
  /// Letters, digits behind the first, and underscores; empty if there are none.
  std::string_view word() noexcept {
    skip_blanks();
    std::size_t length = 0;
    while (length < rest_.size() &&
           (is_letter(rest_[length]) || (length != 0 && is_digit(rest_[length])))) {
      ++length;
    }
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

 private:
  static bool is_digit(char symbol) noexcept { return symbol >= '0' && symbol <= '9'; }
  static bool is_letter(char symbol) noexcept {
    return ((symbol | 0x20) >= 'a' && (symbol | 0x20) <= 'z') || symbol == '_';
  }
  void skip_blanks() noexcept {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }

  std::string_view rest_;
};

/// Whether they are the same but for upper and lower case.
inline bool is_word(std::string_view text, std::string_view word) noexcept {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): no more than both have
  return text.size() == word.size() && strncasecmp(text.data(), word.data(), word.size()) == 0;
}

}  // namespace fg::omp::runtime
