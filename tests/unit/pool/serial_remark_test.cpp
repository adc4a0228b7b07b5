// The remark when an algorithm has no pool: a line in debug builds, nothing in others.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/pool/parallel_scan.hpp"
#include "finegrain/algorithm/pool/sort.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/task_group.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

struct algorithm {
  const char* name;
  void (*call)();
};

void spawn_one() {
  fg::task_group group;
  group.spawn([] {});
  group.wait();
}

void reduce() {
  static_cast<void>(fg::parallel_reduce(0, 9, 0, [](int i) { return i; }, std::plus<>{}));
}

void scan() {
  std::vector<int> numbers(9);
  fg::parallel_scan(numbers.begin(), numbers.size(), numbers.begin());
}

void scan_exclusively() {
  std::vector<int> numbers(9);
  fg::parallel_exclusive_scan(numbers.begin(), numbers.size(), numbers.begin(), 0);
}

void sort() {
  std::vector<int> numbers(9);
  fg::sort(numbers);
}

constexpr algorithm kAlgorithms[] = {
    {"fork_join", [] { fg::fork_join([] {}, [] {}); }},
    {"parallel_invoke", [] { fg::parallel_invoke([] {}, [] {}, [] {}); }},
    {"parallel_for", [] { fg::parallel_for(0, 9, [](int) {}); }},
    {"parallel_reduce", &reduce},
    {"parallel_scan", &scan},
    {"parallel_exclusive_scan", &scan_exclusively},
    {"sort", &sort},
    {"broadcast", [] { fg::broadcast([](std::size_t) {}); }},
    {"task_group::spawn", &spawn_one},
};

class serial_remark : public testing::TestWithParam<algorithm> {
 protected:
  // Each body in a process of its own, which has printed no remark yet.
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_P(serial_remark, is_one_line_of_debug_builds) {
  const std::string line = std::string{"^finegrain: "} + GetParam().name +
                           " is called on a thread that works for no pool: [^\n]*\n$";
  const auto call_all = [] {
    GetParam().call();
    for (const algorithm& each : kAlgorithms) {
      each.call();
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(call_all(), testing::ExitedWithCode(0), FINEGRAIN_DEBUG_CHECKS ? line : "^$");
}

TEST_P(serial_remark, is_not_made_within_run) {
  const auto call = [] {
    fg::pool{fg::test::workers(2)}.run(GetParam().call);
    std::_Exit(0);
  };
  EXPECT_EXIT(call(), testing::ExitedWithCode(0), "^$");
}

INSTANTIATE_TEST_SUITE_P(all, serial_remark, testing::ValuesIn(kAlgorithms), [](const auto& each) {
  const std::string name = each.param.name;
  return name.substr(0, name.find(':'));
});

}  // namespace
