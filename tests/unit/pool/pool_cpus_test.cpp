// Which CPUs the workers get, on real and simulated machines.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/pool_cpus.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "finegrain/host/host_view.hpp"
#include "finegrain/host/topology.hpp"

namespace {

using fg::worker_placement;

// Two packages of two cores with two CPUs each, numbered as by Linux: siblings last.
fg::topology server() {
  fg::topology machine{.cpus = {}, .smt = fg::smt_state::on, .source = "test"};
  for (int id = 0; id < 8; ++id) {
    const int core = id % 4;
    machine.cpus.push_back({.id = id,
                            .core = core,
                            .package = core / 2,
                            .l2 = core,
                            .l3 = core / 2 * 2,
                            .numa_node = core / 2,
                            .efficiency_class = 0});
  }
  return machine;
}

std::vector<int> cpus_of(const fg::topology& machine, const std::vector<int>& allowed, int main_cpu,
                         worker_placement placement, std::size_t workers = 0,
                         std::optional<double> quota = {}) {
  return fg::detail::choose_pool_cpus({.cpus = &machine, .quota_cpus = quota, .processor = {}},
                                      allowed, main_cpu, placement, workers)
      .cpus;
}

const std::vector<int> all_cpus{0, 1, 2, 3, 4, 5, 6, 7};

TEST(pool_cpus, gives_each_core_one_worker_the_near_ones_first) {
  const fg::topology machine = server();
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::one_per_core),
            (std::vector{-1, 1, 2, 3}));
  EXPECT_EQ(cpus_of(machine, all_cpus, 2, worker_placement::one_per_core),
            (std::vector{-1, 3, 0, 1}));
}

TEST(pool_cpus, leaves_the_callers_core_to_the_caller) {
  const fg::topology machine = server();
  // 5 is the sibling of 1: no other thread gets core 1.
  EXPECT_EQ(cpus_of(machine, all_cpus, 5, worker_placement::one_per_core),
            (std::vector{-1, 0, 2, 3}));
}

TEST(pool_cpus, gives_siblings_after_all_cores) {
  const fg::topology machine = server();
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::every_cpu),
            (std::vector{-1, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::every_cpu, 3), (std::vector{-1, 1, 2}));
}

TEST(pool_cpus, stays_within_the_allowed_cpus) {
  const fg::topology machine = server();
  EXPECT_EQ(cpus_of(machine, {1, 5, 6}, 1, worker_placement::one_per_core), (std::vector{-1, 6}));
  EXPECT_EQ(cpus_of(machine, {1, 5, 6}, 1, worker_placement::every_cpu), (std::vector{-1, 6, 5}));
  EXPECT_EQ(cpus_of(machine, {3}, 3, worker_placement::every_cpu), (std::vector{-1}));
}

TEST(pool_cpus, stays_within_the_quota_unless_workers_are_asked_for) {
  const fg::topology machine = server();
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::every_cpu, 0, 2.9).size(), 2U);
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::every_cpu, 0, 0.4).size(), 1U);
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::every_cpu, 5, 2.0).size(), 5U);
}

TEST(pool_cpus, ties_nobody_where_there_are_too_few_cpus_or_it_was_not_asked_for) {
  const fg::topology machine = server();
  EXPECT_EQ(cpus_of(machine, {0, 1}, 0, worker_placement::every_cpu, 3), (std::vector{-1, -1, -1}));
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::untied, 3), (std::vector{-1, -1, -1}));
  EXPECT_EQ(cpus_of(machine, all_cpus, 0, worker_placement::untied).size(), 8U);
}

std::vector<int> cpus_beside(const fg::detail::claimed_cpus& claimed, int main_cpu,
                             worker_placement placement, std::size_t workers = 0) {
  const fg::topology machine = server();
  return fg::detail::choose_pool_cpus({.cpus = &machine, .quota_cpus = {}, .processor = {}},
                                      all_cpus, main_cpu, placement, workers, claimed)
      .cpus;
}

TEST(pool_cpus, leaves_claimed_cpus_alone_and_the_rest_of_the_workers_untied) {
  const fg::detail::claimed_cpus claimed{.tied = {1, 2}, .callers = {3}};
  EXPECT_EQ(cpus_beside(claimed, 0, worker_placement::every_cpu),
            (std::vector{-1, 5, 6, 7, 4, -1, -1, -1}));
  EXPECT_EQ(cpus_beside({.tied = {1, 2, 3, 4, 5, 6, 7}, .callers = {0}}, 0,
                        worker_placement::every_cpu, 3),
            (std::vector{-1, -1, -1}));
  EXPECT_EQ(cpus_beside({.tied = all_cpus, .callers = {}}, 0, worker_placement::every_cpu, 2),
            (std::vector{-1, -1}));
}

TEST(pool_cpus, gives_idle_cores_before_the_siblings_of_claimed_cpus) {
  EXPECT_EQ(cpus_beside({.tied = {1}, .callers = {}}, 0, worker_placement::one_per_core),
            (std::vector{-1, 2, 3, 5}));
  EXPECT_EQ(cpus_beside({.tied = {1, 5}, .callers = {}}, 0, worker_placement::one_per_core),
            (std::vector{-1, 2, 3, -1}));
}

// The main thread of a relic, and a thread that makes two pools.
TEST(pool_cpus, lets_callers_share_their_cpu) {
  EXPECT_EQ(cpus_beside({.tied = {4}, .callers = {0, 0}}, 0, worker_placement::one_per_core, 2),
            (std::vector{-1, 1}));
}

TEST(pool_cpus, leaves_the_caller_a_cpu_to_which_no_thread_is_tied) {
  const fg::topology machine = server();
  const fg::host_view host{.cpus = &machine, .quota_cpus = {}, .processor = {}};
  const fg::detail::pool_cpus alone =
      fg::detail::choose_pool_cpus(host, all_cpus, 0, worker_placement::one_per_core, 2);
  EXPECT_EQ(alone.callers_cpu, 0);
  const fg::detail::pool_cpus beside = fg::detail::choose_pool_cpus(
      host, all_cpus, 0, worker_placement::one_per_core, 2, {.tied = {0}, .callers = {}});
  EXPECT_EQ(beside.callers_cpu, 1);
  EXPECT_EQ(beside.cpus, (std::vector{-1, 2}));
}

TEST(pool_cpus, lets_a_worker_make_way_for_a_caller_on_its_cpu) {
  const fg::detail::pool_cpus chosen{.cpus = {-1, 3, 5}};
  EXPECT_EQ(fg::detail::worker_to_move(chosen, 3, 0), 1U);
  EXPECT_EQ(fg::detail::worker_to_move(chosen, 5, 0), 2U);
  EXPECT_EQ(fg::detail::worker_to_move(chosen, 0, 0), 0U);   // where it was before
  EXPECT_EQ(fg::detail::worker_to_move(chosen, 7, 0), 0U);   // where no worker is pinned
  EXPECT_EQ(fg::detail::worker_to_move(chosen, 5, -1), 0U);  // nowhere to go
  EXPECT_EQ(fg::detail::worker_to_move(chosen, -1, 0), 0U);
  EXPECT_EQ(fg::detail::worker_to_move({.cpus = {-1, -1}}, 0, 1), 0U);  // one CPU: none is pinned
}

TEST(pool_cpus, works_where_the_system_tells_nothing) {
  const fg::topology machine{};
  EXPECT_EQ(cpus_of(machine, {}, -1, worker_placement::one_per_core), (std::vector{-1}));
  EXPECT_EQ(cpus_of(machine, {0, 1, 2}, 1, worker_placement::one_per_core),
            (std::vector{-1, 0, 2}));
}

}  // namespace
