// Environment variables, and options chosen by name, in the program or by the user who starts it.
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

/// The value of `variable`. Null if it is not set, and in a program that runs with more rights than
/// the user who started it (set-user-ID, file capabilities): that user must not choose which files
/// the program writes. Any thread that may call getenv.
inline const char* environment_variable(const char* variable) noexcept {
#if defined(__linux__)
  return secure_getenv(variable);
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
  return issetugid() == 0 ? std::getenv(variable) : nullptr;
#else
  return std::getenv(variable);  // this system has no such programs
#endif
}

// `Choices`, throughout: an array of named choices. The first is the default and always available.

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

/// The available choice with this name, null if there is none. Any thread.
template <class Choices>
auto find_by_name(const Choices& all, std::string_view name) noexcept -> decltype(all.data()) {
  for (const auto& choice : all) {
    if (name_of(choice) == name && is_there(choice)) {
      return &choice;
    }
  }
  return nullptr;
}

/// A one-line message that there is no `kind` with this name, with the names that exist. Any
/// thread. Throws std::bad_alloc.
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

/// The choice that the environment variable `variable` names. The default if it is not set or
/// empty, or if no available choice has that name, which is then reported on standard error, once
/// per process. Any thread that may call getenv. Throws std::bad_alloc.
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
