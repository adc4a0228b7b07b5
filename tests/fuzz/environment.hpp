// The environment of a process, taken from an input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <FuzzedDataProvider.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fg::test {

/// Replaces the process's own while it lives; no other thread may read it then. setenv would keep
/// every value that was ever set.
class environment {
 public:
  environment(FuzzedDataProvider& input, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      add(name, input.ConsumeRandomLengthString(kLongest));
    }
    for (std::string& variable : variables_) {
      pointers_.push_back(variable.data());
    }
    pointers_.push_back(nullptr);
    environ = pointers_.data();
  }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
  ~environment() { environ = before_; }

 private:
  static constexpr std::size_t kLongest = 256;

  // A string of the input is `=value`; any other string leaves the variable unset.
  void add(const std::string& name, const std::string& said) {
    if (said.starts_with('=')) {
      variables_.push_back(name + said.substr(0, said.find('\0')));
    }
  }

  char** before_ = environ;
  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
};

/// The value as `getenv` finds it.
inline std::optional<std::string> value_of(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? std::optional<std::string>{value} : std::nullopt;
}

}  // namespace fg::test
