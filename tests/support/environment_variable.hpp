// An environment variable that is set during a part of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace fg::test {

/// While it lives, the process has this variable. No other thread may read the environment when it
/// begins or ends.
class environment_variable {
 public:
  environment_variable(const char* name, std::string_view value) : name_{name} {
    set(std::string{value});
  }
  ~environment_variable() { unset(); }
  environment_variable(const environment_variable&) = delete;
  environment_variable& operator=(const environment_variable&) = delete;

 private:
#if defined(_WIN32)
  void set(const std::string& value) { _putenv_s(name_, value.c_str()); }
  void unset() { _putenv_s(name_, ""); }
#else
  void set(const std::string& value) { setenv(name_, value.c_str(), 1); }
  void unset() { unsetenv(name_); }
#endif

  const char* name_;
};

}  // namespace fg::test
