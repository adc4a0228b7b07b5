// Variables of the environment, and options chosen by name: in the program, or there by its user.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "finegrain/core/config.hpp"
#include "finegrain/core/errors.hpp"

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#include <unistd.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

/// The value of `variable`; null where it is not set, and in a program that runs with more rights
/// than who started it (set-user-ID, file capabilities): its environment is a stranger's, who must
/// not choose which files it writes. Any thread that may call getenv.
inline const char* environment_variable(const char* variable) noexcept {
#if defined(__linux__)
  return secure_getenv(variable);
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
  return issetugid() == 0 ? std::getenv(variable) : nullptr;
#else
  return std::getenv(variable);  // no such programs
#endif
}

// `Choices`, throughout: an array of things with names, the default first, which is there always.

template <class Choice>
inline constexpr bool kDependsOnProcessor =
    requires(const Choice& choice) { choice.is_supported(); };

template <class Choice>
bool is_there(const Choice& choice) noexcept {
  if constexpr (kDependsOnProcessor<Choice>) {
    return choice.is_supported();
  } else {
    return true;
  }
}

template <class Choice>
std::string_view name_of(const Choice& choice) noexcept {
  if constexpr (requires { choice.name(); }) {
    return choice.name();
  } else {
    return choice.name;
  }
}

/// Null: there is none of this name here. Any thread.
template <class Choices>
auto find_by_name(const Choices& all, std::string_view name) noexcept -> decltype(all.data()) {
  for (const auto& choice : all) {
    if (name_of(choice) == name && is_there(choice)) {
      return &choice;
    }
  }
  return nullptr;
}

/// That there is no `kind` of this name, and the names that there are, in one line. Any thread.
/// Throws std::bad_alloc.
template <class Choices>
std::string unknown_name(const Choices& all, std::string_view kind, std::string_view name) {
  constexpr bool kMayLack = kDependsOnProcessor<typename Choices::value_type>;
  std::string line = "there is no " + std::string{kind} + " '" + one_line(name) + "'" +
                     (kMayLack ? " on this processor" : "") + "; there are: ";
  const char* separator = "";
  for (const auto& choice : all) {
    if (is_there(choice)) {
      line += separator + std::string{name_of(choice)};
      separator = ", ";
    }
  }
  return line;
}

/// The choice that the environment's `variable` names; the default where it is not set or empty,
/// and where there is none of that name: then a line on standard error says so, once a process. Any
/// thread that may call getenv. Throws std::bad_alloc.
template <class Choices>
auto choice_of_environment(const Choices& all, std::string_view kind, const char* variable)
    -> decltype(all.front()) {
  const char* const value = environment_variable(variable);
  if (value == nullptr || *value == '\0') {
    return all.front();
  }
  if (const auto* const found = find_by_name(all, value)) {
    return *found;
  }
  const auto warn = [&] {
    const std::string line = unknown_name(all, kind, value);
    const std::string usual{name_of(all.front())};
    std::fprintf(stderr, "finegrain: %s: %s; %s is used\n", variable, line.c_str(), usual.c_str());
    return true;
  };
  [[maybe_unused]] static const bool is_said = warn();
  return all.front();
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
