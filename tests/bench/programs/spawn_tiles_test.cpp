// Tile programs as the spawn programs run and measure them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/programs/spawn_test_runner.hpp"
#include "kernels/tiles/tile_program.hpp"
#include "programs/spawn/workloads/tile_graph.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/tile_waves.hpp"
#include "programs/spawn/workloads/work_counter.hpp"

namespace {

using fg::bench::each_dependence;
using fg::bench::tile_graph;
using fg::bench::tile_waves;
using fg::bench::spawn_test::outcome;
using fg::bench::spawn_test::run;
using fg::bench::spawn_test::test_runner;
namespace tiles = fg::bench::tiles;

// Tasks of every kind on few tiles, each with tiles of its own: reads before and after writes.
tiles::program random_program(std::uint32_t seed) {
  std::minstd_rand random(seed);
  tiles::program made;
  made.tiles.resize(7);
  for (int i = 0; i < 100; ++i) {
    std::vector<std::uint32_t> places{0, 1, 2, 3, 4, 5, 6};
    std::ranges::shuffle(places, random);
    made.tasks.push_back({.what = static_cast<tiles::kernel>(random() % 4),
                          .target = places[0],
                          .operand = {places[1], places[2]}});
  }
  return made;
}

// What a task sees: how often each of its tiles has been written, its target last. It must see the
// same as in program order.
class versions {
 public:
  explicit versions(const tiles::program& program)
      : program_{program}, of_tile_(program.tiles.size()), seen_(program.tasks.size()) {}

  void run(std::uint32_t index) {
    const tiles::task& task = program_.tasks[index];
    for (const std::uint32_t tile : task.operands()) {
      seen_[index].push_back(of_tile_[tile]);
    }
    seen_[index].push_back(of_tile_[task.target]++);
  }
  bool operator==(const versions& other) const { return seen_ == other.seen_; }

 private:
  const tiles::program& program_;
  std::vector<int> of_tile_;
  std::vector<std::vector<int>> seen_;  // empty: has not run
};

versions in_order(const tiles::program& program) {
  versions seen{program};
  for (std::uint32_t task = 0; task < program.tasks.size(); ++task) {
    seen.run(task);
  }
  return seen;
}

TEST(tile_graph, gives_out_each_task_once_and_behind_what_it_waits_for) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const tiles::program program = random_program(seed);
    tile_graph graph{program};
    versions seen{program};
    std::minstd_rand random(seed);
    std::vector<std::uint32_t> ready = graph.first();
    std::size_t count = 0;
    for (; !ready.empty(); ++count) {
      std::swap(ready.back(), ready[random() % ready.size()]);
      const std::uint32_t task = ready.back();
      ready.pop_back();
      seen.run(task);
      graph.finish(task, [&ready](std::uint32_t after) { ready.push_back(after); });
    }
    EXPECT_EQ(count, program.tasks.size());
    EXPECT_EQ(seen, in_order(program)) << seed;
  }
}

TEST(tile_graph, holds_back_no_task_without_a_reason) {
  const tiles::program program = random_program(1);
  each_dependence(program, [&program](std::uint32_t before, std::uint32_t after) {
    ASSERT_LT(before, after);
    const auto touches = [](const tiles::task& task, std::uint32_t tile) {
      return task.target == tile || std::ranges::count(task.operands(), tile) > 0;
    };
    EXPECT_TRUE(touches(program.tasks[after], program.tasks[before].target) ||
                touches(program.tasks[before], program.tasks[after].target));
  });
  tiles::program readers;  // of one tile, which is never written
  readers.tiles.resize(4);
  for (const std::uint32_t target : {1U, 2U, 3U}) {
    readers.tasks.push_back({.what = tiles::kernel::syrk, .target = target, .operand = {0}});
  }
  EXPECT_EQ(tile_graph{readers}.first(), (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(tile_graph, gives_out_the_last_of_the_program_first) {
  const tiles::program program{.tiles = std::vector<tiles::tile>(6),
                               .tasks = tiles::cholesky_tasks(3)};
  tile_graph graph{program};
  EXPECT_EQ(graph.first(), std::vector<std::uint32_t>{0});
  std::vector<std::uint32_t> ready;
  graph.finish(0, [&ready](std::uint32_t after) { ready.push_back(after); });
  EXPECT_EQ(ready, (std::vector<std::uint32_t>{2, 1}));
}

TEST(tile_waves, may_run_in_any_order_each) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const tiles::program program = random_program(seed);
    versions seen{program};
    for (const std::vector<std::uint32_t>& wave : tile_waves(program)) {
      EXPECT_FALSE(wave.empty());
      for (std::size_t at = wave.size(); at > 0; --at) {
        seen.run(wave[at - 1]);
      }
    }
    EXPECT_EQ(seen, in_order(program)) << seed;
  }
}

TEST(tile_waves, are_the_steps_of_a_factorisation) {
  const tiles::program two{.tiles = std::vector<tiles::tile>(3), .tasks = tiles::cholesky_tasks(2)};
  EXPECT_EQ(tile_waves(two), (std::vector<std::vector<std::uint32_t>>{{0}, {1}, {2}, {3}}));
  // All tiles of C at once, update by update.
  const tiles::program update{.tiles = std::vector<tiles::tile>(7), .tasks = tiles::syrk_tasks(2)};
  EXPECT_EQ(tile_waves(update), (std::vector<std::vector<std::uint32_t>>{{0, 2, 4}, {1, 3, 5}}));
}

outcome measured(test_runner& runner, const std::vector<std::string>& what) {
  std::vector<std::string> all{"--threads", "2", "--batches", "2"};
  all.insert(all.end(), what.begin(), what.end());
  return run(runner, all);
}

TEST(spawn_tiles, prints_what_it_ran) {
  for (const auto& [name, tasks] : {std::pair{"cholesky", 35}, std::pair{"syrk", 75}}) {
    test_runner runner;
    const outcome ended = measured(runner, {name, "--n", "70", "--tile", "16"});
    ASSERT_EQ(ended.status, 0) << ended.complaint;
    const nlohmann::json line = ended.line();
    EXPECT_EQ(line["n"], 70);
    EXPECT_EQ(line["tile"], 16);
    EXPECT_EQ(line["tasks"], tasks);
    EXPECT_EQ(line["ns"].size(), 2U);
    EXPECT_GT(line["ns"][0], 0.0);
    EXPECT_GT(line["offloaded_share"], 0.1);
    EXPECT_TRUE(line["blas"].get<std::string>().starts_with("OpenBLAS ")) << line["blas"];
  }
}

TEST(spawn_tiles, refuses_a_lost_task_in_every_run) {
  for (const std::string name : {"cholesky", "syrk"}) {
    // The untimed run, two batches, the census.
    for (int lossy = 1; lossy <= 5; ++lossy) {
      test_runner runner{{.lossy_run = lossy}};
      const outcome ended = measured(runner, {name, "--n", "70", "--tile", "16"});
      EXPECT_EQ(ended.status, lossy <= 4 ? 3 : 0) << name << ", run " << lossy;
      EXPECT_EQ(ended.complaint.find("the result differs") != std::string::npos, lossy <= 4)
          << ended.complaint;
    }
  }
}

TEST(spawn_tiles, refuses_what_would_take_too_many_tasks) {
  test_runner runner;
  EXPECT_EQ(measured(runner, {"cholesky", "--n", "20000", "--tile", "2"}).status, 2);
  EXPECT_EQ(measured(runner, {"cholesky", "--n", "20"}).status, 2);
  EXPECT_EQ(measured(runner, {"syrk", "--tile", "20"}).status, 2);
  EXPECT_EQ(measured(runner, {"syrk", "--n", "0", "--tile", "20"}).status, 2);
}

TEST(spawn_tiles, the_ceilings_unit_counts_its_tasks) {
  for (const auto& [name, tasks] : {std::pair{"cholesky", 35U}, std::pair{"syrk", 75U}}) {
    test_runner runner;
    fg::bench::spawn_setup seen;
    const outcome ended = run(
        runner, {"--threads", "2", "--batches", "1", name, "--n", "70", "--tile", "16"}, {}, &seen);
    ASSERT_EQ(ended.status, 0) << ended.complaint;
    fg::bench::work_counter counter;
    seen.beside(counter);
    seen.beside(counter);
    EXPECT_EQ(counter.done(), 2 * tasks);
  }
}

}  // namespace
