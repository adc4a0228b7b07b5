// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/sort_leaves.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fg::bench {

std::vector<sort_element> shuffled_elements(std::uint64_t count) {
  constexpr std::uint64_t kSeed = 2009;
  std::vector<sort_element> elements(count);
  std::iota(elements.begin(), elements.end(), sort_element{0});
  // Uses the standard's generator but not its shuffle, which differs between libraries. The
  // remainder favours small numbers by less than 2^-36 of their probability.
  std::mt19937_64 random{kSeed};
  for (std::size_t i = count; i > 1; --i) {
    std::swap(elements[i - 1], elements[random() % i]);
  }
  return elements;
}

void sort_sequentially(std::span<sort_element> elements) noexcept { std::ranges::sort(elements); }

void merge_sequentially(std::span<const sort_element> left, std::span<const sort_element> right,
                        sort_element* out) noexcept {
  std::ranges::merge(left, right, out);
}

std::optional<std::string> fault_of_order(std::span<const sort_element> elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] != static_cast<sort_element>(i)) {
      return "element " + std::to_string(i) + " is " + std::to_string(elements[i]);
    }
  }
  return std::nullopt;
}

}  // namespace fg::bench
