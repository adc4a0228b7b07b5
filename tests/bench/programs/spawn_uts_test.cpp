// The search of an unbalanced tree, as the spawn programs measure it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/programs/spawn_test_runner.hpp"
#include "kernels/uts/sample_trees.hpp"
#include "kernels/uts/search.hpp"
#include "kernels/uts/tree.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/spawn/cases/uts_search.hpp"
#include "programs/spawn/workloads/work_counter.hpp"

namespace {

using fg::bench::measure_uts;
using fg::bench::uts_unit;
using fg::bench::spawn_test::test_forms;
using fg::bench::spawn_test::test_runner;
namespace uts = fg::bench::uts;

// T1 down to depth 6; the expected counts come from the kernel's own search.
uts::sample_tree small_sample() {
  uts::sample_tree sample = uts::find_sample_tree("T1");
  sample.tree.shape = uts::geometric_fixed(4.0, 6);
  sample.published = uts::search(sample.tree, uts::root(sample.tree));
  return sample;
}

nlohmann::json measured(const uts::sample_tree& sample, const test_forms& forms = {},
                        bool with_timeline = false) {
  test_runner runner{forms};
  return measure_uts(sample, with_timeline, {.threads = 2, .batches = 2}, runner);
}

TEST(spawn_uts, prints_what_it_found) {
  const uts::sample_tree sample = small_sample();
  const nlohmann::json line = measured(sample);
  EXPECT_EQ(line["tree"], "T1");
  EXPECT_EQ(line["granularity"], 1);
  EXPECT_EQ(line["nodes"], sample.published.nodes);
  EXPECT_EQ(line["tasks"], sample.published.nodes);
  EXPECT_EQ(line["leaves"], sample.published.leaves);
  EXPECT_EQ(line["depth"], 6);
  EXPECT_EQ(line["ns"].size(), 2U);
  EXPECT_GT(line["ns"][0], 0.0);
  EXPECT_GT(line["offloaded_share"], 0.1);
  EXPECT_FALSE(line.contains("timeline"));
}

TEST(spawn_uts, refuses_another_tree_than_the_published_one) {
  uts::sample_tree sample = small_sample();
  ++sample.tree.root_seed;
  EXPECT_THROW(measured(sample), fg::bench::wrong_result);
  for (const auto broken : {&uts::count::nodes, &uts::count::leaves}) {
    sample = small_sample();
    ++(sample.published.*broken);
    EXPECT_THROW(measured(sample), fg::bench::wrong_result);
  }
  sample = small_sample();
  ++sample.published.depth;
  EXPECT_THROW(measured(sample), fg::bench::wrong_result);
}

TEST(spawn_uts, refuses_a_lost_child_in_every_search) {
  // The untimed run, two batches, the census, the timeline's.
  for (int search = 1; search <= 5; ++search) {
    EXPECT_THROW(measured(small_sample(), {.incomplete_from = search}, true),
                 fg::bench::wrong_result)
        << search;
  }
  EXPECT_NO_THROW(measured(small_sample(), {.incomplete_from = 6}, true));
}

TEST(spawn_uts, its_timeline_has_all_nodes) {
  const uts::sample_tree sample = small_sample();
  const nlohmann::json timeline = measured(sample, {}, true)["timeline"];
  const double wall_ns = timeline["wall_ns"];
  EXPECT_GT(timeline["gap_ns"], 1990.0);
  std::uint64_t tasks = 0;
  EXPECT_EQ(timeline["threads"].size(), 2U);
  for (const nlohmann::json& thread : timeline["threads"]) {
    tasks += thread["tasks"].get<std::uint64_t>();
    double free_from = 0;
    for (const nlohmann::json& stretch : thread["busy"]) {
      EXPECT_GE(stretch[0], free_from);
      EXPECT_GE(stretch[1], stretch[0]);
      free_from = stretch[1];
    }
    EXPECT_LE(free_from, wall_ns);
  }
  EXPECT_EQ(tasks, sample.published.nodes);
}

TEST(spawn_uts, a_neighbour_counts_every_node_once) {
  const uts::sample_tree sample = small_sample();
  const fg::bench::unit_of_work unit = uts_unit(sample);
  fg::bench::work_counter counter;
  unit(counter);
  EXPECT_EQ(counter.done(), sample.published.nodes);
  unit(counter);
  EXPECT_EQ(counter.done(), 2 * sample.published.nodes);
  uts::sample_tree broken = sample;
  ++broken.published.leaves;
  EXPECT_THROW(uts_unit(broken)(counter), fg::bench::wrong_result);
}

}  // namespace
