// SPDX-License-Identifier: Apache-2.0
#include "kmp_affinity.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "place_list.hpp"
#include "text_reader.hpp"

namespace fg::omp::runtime {
namespace {

constexpr std::pair<std::string_view, granule> kGranules[] = {{"fine", {layer::thread}},
                                                              {"thread", {layer::thread}},
                                                              {"core", {layer::core}},
                                                              {"l2_cache", {layer::l2}},
                                                              {"l2", {layer::l2}},
                                                              {"l3_cache", {layer::l3}},
                                                              {"l3", {layer::l3}},
                                                              {"ll_cache", {layer::l3, true}},
                                                              {"numa_domain", {layer::numa_domain}},
                                                              {"numa", {layer::numa_domain}},
                                                              {"node", {layer::numa_domain}},
                                                              {"socket", {layer::socket}},
                                                              {"package", {layer::socket}}};

// As LLVM's runtime takes the names of layers: their first letters, and more of them.
constexpr std::pair<std::string_view, granule> kSubsetNames[] = {
    {"sockets", {layer::socket}},
    {"packages", {layer::socket}},
    {"numa_domains", {layer::numa_domain}},
    {"nodes", {layer::numa_domain}},
    {"ll_caches", {layer::l3, true}},
    {"l3_caches", {layer::l3}},
    {"l2_caches", {layer::l2}},
    {"cores", {layer::core}},
    {"threads", {layer::thread}}};

constexpr std::pair<std::string_view, kmp_affinity::order> kOrders[] = {
    {"none", kmp_affinity::order::none},         {"disabled", kmp_affinity::order::none},
    {"compact", kmp_affinity::order::compact},   {"logical", kmp_affinity::order::compact},
    {"scatter", kmp_affinity::order::scatter},   {"physical", kmp_affinity::order::scatter},
    {"balanced", kmp_affinity::order::balanced}, {"explicit", kmp_affinity::order::listed}};

std::string_view without_blanks(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// Up to the next comma outside of brackets, and leaves what is after it.
std::string_view take_item(std::string_view& rest) noexcept {
  bool is_in_brackets = false;
  std::size_t end = 0;
  for (; end < rest.size() && (is_in_brackets || rest[end] != ','); ++end) {
    is_in_brackets = rest[end] == '[' || (is_in_brackets && rest[end] != ']');
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return without_blanks(item);
}

template <class Pairs>
const auto* find_word(const Pairs& pairs, std::string_view word) noexcept {
  const auto* const found =
      std::ranges::find_if(pairs, [word](const auto& each) { return is_word(each.first, word); });
  return found != std::end(pairs) ? &found->second : nullptr;
}

// False if it is none of these.
bool read_switch(std::string_view word, kmp_affinity& into) noexcept {
  const bool is_off = word.size() > 2 && is_word(word.substr(0, 2), "no");
  const std::string_view name = is_off ? word.substr(2) : word;
  if (is_word(name, "verbose")) {
    into.is_verbose = !is_off;
  } else if (is_word(name, "respect")) {
    into.respects = !is_off;
  } else if (is_word(name, "reset")) {
    into.resets = !is_off;
  } else {
    return is_word(name, "warnings");  // of which there are none
  }
  return true;
}

bool read_value(std::string_view word, kmp_affinity& into) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) {
    return false;
  }
  const std::string_view name = without_blanks(word.substr(0, equals));
  std::string_view value = without_blanks(word.substr(equals + 1));
  if (is_word(name, "granularity")) {
    const granule* const found = find_word(kGranules, value);
    into.places = found != nullptr ? *found : into.places;
    return found != nullptr;
  }
  if (is_word(name, "proclist") && value.starts_with('[') && value.ends_with(']')) {
    value = value.substr(1, value.size() - 2);
    std::optional<std::vector<place>> listed = read_cpu_places(value);
    into.listed = listed ? *std::move(listed) : std::vector<place>{};
    return !into.listed.empty();
  }
  return false;
}

bool read_number(std::string_view word, bool is_first, kmp_affinity& into) noexcept {
  text_reader in{word};
  const std::optional<int> value = in.number();
  if (!value || !in.is_at_end()) {
    return false;
  }
  (is_first ? into.permute : into.offset) = *value;
  return true;
}

// A layer by its first letters: s, N, c, t, L2.
const granule* find_layer(std::string_view word) noexcept {
  const auto* const found = std::ranges::find_if(kSubsetNames, [word](const auto& each) {
    return !word.empty() && word.size() <= each.first.size() &&
           is_word(each.first.substr(0, word.size()), word);
  });
  return found != std::end(kSubsetNames) ? &found->second : nullptr;
}

}  // namespace

kmp_affinity read_kmp_affinity(std::string_view text) {
  kmp_affinity found;
  bool has_permute = false;
  while (!text.empty()) {
    const std::string_view item = take_item(text);
    if (const auto* const type = find_word(kOrders, item)) {
      found.type = *type;
    } else if (read_number(item, !has_permute, found)) {
      has_permute = true;
    } else if (!read_switch(item, found) && !read_value(item, found)) {
      found.unknown.emplace_back(item);
    }
  }
  return found;
}

std::optional<hw_subset> read_hw_subset(std::string_view text) {
  text_reader in{text};
  hw_subset found{.is_absolute = in.take(':')};
  do {
    if (in.is_at_end() && !found.items.empty()) {
      break;  // after a comma
    }
    const std::optional<int> count = in.take('*') ? text_reader::kMost : in.number();
    const granule* const of = find_layer(in.word());
    if (!count || *count == 0 || of == nullptr) {
      return std::nullopt;
    }
    const std::optional<int> first = in.take('@') ? in.number() : 0;
    if (!first) {
      return std::nullopt;
    }
    found.items.push_back({.of = *of, .count = *count, .first = *first});
  } while (in.take(','));
  return in.is_at_end() ? std::optional{std::move(found)} : std::nullopt;
}

std::vector<int> hw_subset::cpus_of(const machine& all) const {
  std::vector<int> kept;
  for (const machine::located& each : all.cpus()) {
    const bool stays = std::ranges::all_of(items, [&](const subset_item& item) {
      const layer which = item.of.in(all);
      const int number = is_absolute ? each.whole(which) : each.relative(which);
      return number >= item.first && number - item.first < item.count;
    });
    if (stays) {
      kept.push_back(each.cpu);
    }
  }
  std::ranges::sort(kept);
  return kept;
}

}  // namespace fg::omp::runtime
