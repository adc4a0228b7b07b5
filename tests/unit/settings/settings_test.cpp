// Parts compiled with different settings, in one program: each behaves as it was compiled.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "support/profilers/zone_record.hpp"
#include "unit/settings/part.hpp"

#define FINEGRAIN_PARTS(each) \
  each(plain) each(checked) each(no_exceptions) each(tracy) each(itt) each(other_version)

namespace fg::test {

#define FINEGRAIN_DECLARE(name) \
  namespace name {              \
  extern const part shown;      \
  }
FINEGRAIN_PARTS(FINEGRAIN_DECLARE)

}  // namespace fg::test

namespace {

using fg::test::part;
using fg::test::zone_record;

struct named_part {
  const char* name;
  const part& shown;
  friend std::ostream& operator<<(std::ostream& out, const named_part& part) {
    return out << part.name;
  }
};
#define FINEGRAIN_NAMED(name) named_part{#name, fg::test::name::shown},
std::vector<named_part> all_parts() { return {FINEGRAIN_PARTS(FINEGRAIN_NAMED)}; }

class settings : public testing::TestWithParam<named_part> {
 protected:
  [[nodiscard]] static const part& tested() { return GetParam().shown; }
  [[nodiscard]] static bool tells_zones() {
    const std::string name = GetParam().name;
    return name == "tracy" || name == "itt";
  }
};

INSTANTIATE_TEST_SUITE_P(of, settings, testing::ValuesIn(all_parts()),
                         [](const auto& tested) { return std::string{tested.param.name}; });

constexpr unsigned kTasks = 100;

TEST_P(settings, run_all_tasks) { EXPECT_EQ(tested().run_tasks(kTasks), 2 * kTasks); }

TEST_P(settings, bring_exceptions_home) {
  if (tested().has_exceptions) {
    const part::count all = tested().catch_exceptions();
    EXPECT_EQ(all.caught, all.of);
  }
}

TEST_P(settings, check_what_they_were_told_to_check) {
  if (tested().has_checks) {
    EXPECT_DEATH(tested().misuse_a_relic(), "sleep_hint is for the thread that made the relic");
  } else {
    tested().misuse_a_relic();
  }
}

TEST_P(settings, tell_a_profiler_or_none) {
  zone_record::instance().clear();
  static_cast<void>(tested().run_tasks(kTasks));
  const unsigned told = zone_record::instance().begun("task");
  if (tells_zones()) {
    EXPECT_GE(told, kTasks);  // the relic's, and the pool's as far as they were queued
  } else {
    EXPECT_EQ(told, 0);
  }
}

TEST_P(settings, share_one_list_of_cpus) {
  static std::vector<std::vector<int>> seen;
  seen.clear();
  tested().claim_cpu(4711, [] {
    for (const named_part& each : all_parts()) {
      seen.push_back(each.shown.cpus_of_pools());
    }
  });
  const std::vector<named_part> all = all_parts();
  for (std::size_t i = 0; i != all.size(); ++i) {
    const bool is_of_version = std::string{all[i].name} != "other_version";
    const bool is_seen = std::ranges::count(seen[i], 4711) != 0;
    EXPECT_EQ(is_seen, (std::string{GetParam().name} != "other_version") == is_of_version)
        << all[i].name;
  }
}

}  // namespace
