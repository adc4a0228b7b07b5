// Tests that explore a scenario and look at its executions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <set>
#include <string>

#include "checker/scenario.hpp"

namespace model {

// The outcome of each execution, one digit per value.
class outcomes {
 public:
  void add(std::initializer_list<int> values) {
    explorer::current()->outside([&] {
      std::string text;
      for (const int value : values) {
        text += std::to_string(value);
      }
      seen_.insert(text);
    });
  }
  [[nodiscard]] bool has(const std::string& text) const { return seen_.contains(text); }
  [[nodiscard]] const std::set<std::string>& all() const { return seen_; }

 private:
  std::set<std::string> seen_;
};

class exploring : public testing::Test {
 public:
  using strings = std::set<std::string>;

 protected:
  outcome explore(const std::function<void()>& scenario) { return explorer_.explore(scenario, {}); }
  outcomes seen_;

 private:
  explorer explorer_;
};

}  // namespace model
