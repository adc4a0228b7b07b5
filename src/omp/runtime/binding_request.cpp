// SPDX-License-Identifier: Apache-2.0
#include "binding_request.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "text_reader.hpp"

namespace fg::omp::runtime {
namespace {

using complaints = std::vector<std::string>;

void complain(complaints& all, std::string_view variable, std::string_view value,
              std::string_view what) {
  constexpr std::size_t kMost = 60;  // a value may be very long
  std::string shown{value.substr(0, kMost)};
  std::ranges::replace_if(
      shown, [](char each) { return each < ' ' || each == '\x7f'; }, '?');  // of terminals
  all.push_back(std::string{variable} + ": '" + shown + (value.size() > kMost ? "..." : "") + "' " +
                std::string{what});
}

std::optional<binding> bind_of(std::string_view word) noexcept {
  constexpr std::pair<std::string_view, binding> kWords[] = {{"master", binding::primary},
                                                             {"primary", binding::primary},
                                                             {"close", binding::close},
                                                             {"spread", binding::spread}};
  for (const auto& [name, value] : kWords) {
    if (is_word(word, name)) {
      return value;
    }
  }
  return std::nullopt;
}

// true, false, or a list of the others.
std::optional<std::vector<binding>> read_binds(std::string_view text) {
  text_reader in{text};
  const bool is_one = in.take('1');  // LLVM's runtime takes it
  const std::string_view first = in.word();
  if (is_one || is_word(first, "true")) {
    return in.is_at_end() ? std::optional{std::vector{binding::any}} : std::nullopt;
  }
  if (is_word(first, "false")) {
    return in.is_at_end() ? std::optional{std::vector{binding::none}} : std::nullopt;
  }
  std::vector<binding> found;
  for (std::string_view word = first;; word = in.word()) {
    const std::optional<binding> one = bind_of(word);
    if (!one) {
      return std::nullopt;
    }
    found.push_back(*one);
    if (!in.take(',')) {
      return in.is_at_end() ? std::optional{std::move(found)} : std::nullopt;
    }
  }
}

void read_places(std::string_view text, binding_request& into, complaints& lines) {
  into.named = read_named_places(text);
  if (into.named) {
    if (!into.named->is_whole) {
      complain(lines, "OMP_PLACES", text, "is no name with a number: all places of that name");
    }
  } else if (std::optional<std::vector<place>> listed = read_place_list(text)) {
    into.listed = *std::move(listed);
  } else {
    complain(lines, "OMP_PLACES", text, "is no list of places: cores instead");
    into.named = named_places{};
  }
}

void use_kmp_affinity(std::string_view text, kmp_affinity asked, binding_request& into,
                      complaints& lines) {
  using order = kmp_affinity::order;
  if (asked.type == order::listed && asked.listed.empty()) {
    complain(lines, "KMP_AFFINITY", text, "has no list of CPUs: ignored");
    return;
  }
  if (asked.type == order::unsaid || asked.type == order::none) {
    return;
  }
  into.is_wanted = true;
  into.any = asked.type == order::balanced ? binding::spread : binding::in_turn;
  if (asked.type == order::listed) {
    into.listed = std::move(asked.listed);
  } else {
    into.by_distance = std::move(asked);
  }
}

void use_cpu_affinity(std::string_view text, binding_request& into, complaints& lines) {
  std::optional<std::vector<place>> listed = read_cpu_places(text);
  if (!listed) {
    complain(lines, "GOMP_CPU_AFFINITY", text, "is no list of CPUs: ignored");
    return;
  }
  into.is_wanted = true;
  into.any = binding::in_turn;
  into.listed = *std::move(listed);
}

std::string_view variable(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : std::string_view{};
}

binding_request read_own() {
  complaints lines;
  binding_request found = read_binding({.proc_bind = variable("OMP_PROC_BIND"),
                                        .places = variable("OMP_PLACES"),
                                        .kmp_affinity = variable("KMP_AFFINITY"),
                                        .gomp_cpu_affinity = variable("GOMP_CPU_AFFINITY"),
                                        .hw_subset = variable("KMP_HW_SUBSET"),
                                        .teams_bind = variable("KMP_TEAMS_PROC_BIND")},
                                       lines);
  for (const std::string& each : lines) {
    std::fprintf(stderr, "finegrain-omp: %s\n", each.c_str());
  }
  return found;
}

}  // namespace

binding_request read_binding(const binding_variables& said, std::vector<std::string>& complaints) {
  binding_request found;
  kmp_affinity kmp = read_kmp_affinity(said.kmp_affinity);
  for (const std::string& word : kmp.unknown) {
    complain(complaints, "KMP_AFFINITY", word, "is ignored");
  }
  found.is_verbose = kmp.is_verbose;
  found.respects = kmp.respects;
  found.resets = kmp.resets;
  if (!text_reader{said.proc_bind}.is_at_end()) {
    if (std::optional<std::vector<binding>> binds = read_binds(said.proc_bind)) {
      found.by_level = *std::move(binds);
    } else {
      complain(complaints, "OMP_PROC_BIND", said.proc_bind,
               "is neither true nor false nor a list of primary, close, spread: ignored");
    }
  }
  if (const std::optional<binding> teams = bind_of(text_reader{said.teams_bind}.word())) {
    found.of_teams = *teams;
  } else if (!text_reader{said.teams_bind}.is_at_end()) {
    complain(complaints, "KMP_TEAMS_PROC_BIND", said.teams_bind, "is ignored");
  }
  const bool has_subset = read_hw_subset(said.hw_subset).has_value();
  if (!has_subset && !text_reader{said.hw_subset}.is_at_end()) {
    complain(complaints, "KMP_HW_SUBSET", said.hw_subset,
             "is no list like 2s,4c,1t of parts that are served: ignored");
  }
  if (found.by_level == std::vector{binding::none}) {
    return found;
  }
  const bool has_places = !text_reader{said.places}.is_at_end();
  if (has_places) {
    found.is_wanted = true;
    read_places(said.places, found, complaints);
  } else if (kmp.type != kmp_affinity::order::unsaid) {
    use_kmp_affinity(said.kmp_affinity, std::move(kmp), found, complaints);
  } else if (!text_reader{said.gomp_cpu_affinity}.is_at_end()) {
    use_cpu_affinity(said.gomp_cpu_affinity, found, complaints);
  }
  if (!found.by_level.empty() && !found.is_wanted) {
    found.is_wanted = true;
    found.named = named_places{};
  }
  found.is_wanted = found.is_wanted || has_subset;
  return found;
}

const binding_request& requested_binding() noexcept {
  // Outlives all threads. Without memory for it the program ends.
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  static const auto* const all = new binding_request{read_own()};
  return *all;
}

std::string to_text(const place& one) {
  std::string text = "{";
  for (std::size_t i = 0; i < one.size();) {
    std::size_t next = i + 1;
    while (next < one.size() && one[next] == one[next - 1] + 1) {
      ++next;
    }
    text += (i == 0 ? "" : ",") + std::to_string(one[i]);
    text += next - i > 1 ? ":" + std::to_string(next - i) : "";
    i = next;
  }
  return text + "}";
}

std::string to_text(const std::vector<place>& all) {
  std::string text;
  for (const place& each : all) {
    text += (text.empty() ? "" : ",") + to_text(each);
  }
  return text;
}

std::string places_in_words(const binding_request& asked) {
  if (!asked.named) {
    return to_text(asked.listed);
  }
  const std::string name{to_string(asked.named->name)};
  return asked.named->most ? name + "(" + std::to_string(*asked.named->most) + ")" : name;
}

}  // namespace fg::omp::runtime
