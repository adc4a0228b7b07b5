// Small text files of the system, such as those under /sys and /proc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

struct close_file {
  void operator()(std::FILE* file) const noexcept { static_cast<void>(std::fclose(file)); }
};
using open_file = std::unique_ptr<std::FILE, close_file>;

/// The whole file; nullopt if it cannot be opened or read, or is longer than any file that the
/// system writes (16 MiB). Throws std::bad_alloc only.
inline std::optional<std::string> read_text_file(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  const open_file file{std::fopen(path.c_str(), "r")};
  if (!file) {
    return std::nullopt;
  }
  std::string text;
  std::array<char, 1024> part{};
  while (std::feof(file.get()) == 0 && std::ferror(file.get()) == 0) {
    text.append(part.data(), std::fread(part.data(), 1, part.size(), file.get()));
    if (text.size() > kMostBytes) {
      return std::nullopt;
    }
  }
  return std::ferror(file.get()) == 0 ? std::optional{std::move(text)} : std::nullopt;
}

/// Cuts `text` at the first `separator`: returns what is before it, and leaves what is after it.
/// Without a separator, returns all of `text` and leaves it empty.
inline std::string_view take_until(std::string_view& text, char separator) noexcept {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return front;
}

/// The first line of `text`, without its line end.
inline std::string_view first_line(std::string_view text) noexcept {
  return take_until(text, '\n');
}

/// The number that `text` consists of, in decimal; nullopt if it is anything else or too large.
// Not by std::from_chars: its header is 630 lines more in each include of ours.
template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) noexcept {
  const bool is_negative = std::is_signed_v<Integer> && text.starts_with('-');
  text.remove_prefix(is_negative ? 1 : 0);
  using limits = std::numeric_limits<Integer>;
  Integer value{};
  for (const char symbol : text) {
    const auto digit = static_cast<Integer>(symbol - '0');
    if (symbol < '0' || symbol > '9' ||
        (is_negative ? value < (limits::min() + digit) / 10
                     : value > (limits::max() - digit) / 10)) {
      return std::nullopt;
    }
    value = is_negative ? 10 * value - digit : 10 * value + digit;
  }
  return text.empty() ? std::nullopt : std::optional{value};
}

/// The number in the first line of the file; nullopt if there is none.
template <class Integer>
std::optional<Integer> read_integer(const std::string& path) {
  const std::optional<std::string> text = read_text_file(path);
  return text ? parse_integer<Integer>(first_line(*text)) : std::nullopt;
}

/// The CPUs of a list as the kernel writes it, `0-3,8`: ascending. Empty if it is no such list, or
/// names a CPU beyond those that Linux can have (2^16).
inline std::vector<int> parse_cpu_list(std::string_view list) {
  constexpr unsigned kMostCpus = 1 << 16;
  std::vector<int> cpus;
  list = first_line(list);
  if (list.ends_with(',')) {
    return {};
  }
  unsigned least = 0;  // the lowest number that may follow
  while (!list.empty()) {
    std::string_view range = take_until(list, ',');
    const bool has_end = range.find('-') != std::string_view::npos;
    const std::optional<unsigned> first = parse_integer<unsigned>(take_until(range, '-'));
    const std::optional<unsigned> last = has_end ? parse_integer<unsigned>(range) : first;
    if (!first || !last || *first < least || *last < *first || *last >= kMostCpus) {
      return {};
    }
    for (unsigned cpu = *first; cpu <= *last; ++cpu) {
      cpus.push_back(static_cast<int>(cpu));
    }
    least = *last + 1;
  }
  return cpus;
}

/// The list of CPUs in a file; empty if there is none.
inline std::vector<int> read_cpu_list(const std::string& path) {
  return parse_cpu_list(read_text_file(path).value_or(""));
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
