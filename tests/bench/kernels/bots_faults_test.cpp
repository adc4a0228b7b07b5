// alignment, floorplan and health, with handles that run tasks on the calling thread: correctly, or
// with a fault that the check has to detect.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bots_handles.hpp"
#include "kernels/bots/alignment.hpp"
#include "kernels/bots/floorplan.hpp"
#include "kernels/bots/floorplan_board.hpp"
#include "kernels/bots/health.hpp"
#include "kernels/bots/health_village.hpp"
#include "kernels/bots/protein_alignment.hpp"
#include "kernels/bots/tasks.hpp"

namespace {

using fg::bench::bots::alignment;
using fg::bench::bots::floorplan;
using fg::bench::bots::health;
using fg::bench::bots_test::backwards;
using fg::bench::bots_test::serial;
namespace bench = fg::bench;

constexpr std::size_t kProteins = 6;
constexpr std::size_t kCells = 7;
constexpr std::size_t kLevels = 3;

/// Runs one of all tasks a given number of times, the others once.
struct miscounting {
  struct plan {
    std::size_t odd_task;
    int runs;
    std::size_t spawned = 0;
  };
  plan* of_all;

  class group {
   public:
    explicit group(miscounting tasks) : of_all_{tasks.of_all} {}
    template <class F>
    void spawn(F task) {
      const bool is_odd = of_all_->spawned++ == of_all_->odd_task;
      for (int runs = is_odd ? of_all_->runs : 1; runs > 0; --runs) {
        task(miscounting{of_all_});
      }
    }
    void wait() {}

   private:
    plan* of_all_;
  };
};

/// Waits for nothing; tasks run when `run_the_rest` is called. For tasks that do not use their
/// parents' frames.
struct late {
  std::vector<std::function<void()>>* queue;

  class group {
   public:
    explicit group(late tasks) : queue_{tasks.queue} {}
    template <class F>
    void spawn(F task) {
      queue_->push_back([task, queue = queue_] { task(late{queue}); });
    }
    void wait() {}

   private:
    std::vector<std::function<void()>>* queue_;
  };
};

void run_the_rest(std::vector<std::function<void()>>& queue) {
  while (!queue.empty()) {
    for (const auto& task : std::exchange(queue, {})) {
      task();  // it may spawn more
    }
  }
}

/// Of the tasks that are spawned first, outside of any task, runs only those whose bit is set.
struct pruning {
  std::uint64_t runs;
  bool is_first = true;

  class group {
   public:
    explicit group(pruning tasks) : runs_{tasks.is_first ? tasks.runs : ~std::uint64_t{0}} {}
    template <class F>
    void spawn(F task) {
      if ((runs_ >> (spawned_++ % 64U) & 1U) != 0) {
        task(pruning{.runs = 0, .is_first = false});
      }
    }
    void wait() {}

   private:
    std::uint64_t runs_;
    unsigned spawned_ = 0;
  };
};

template <class Application>
class bots_application : public testing::Test {
 public:
  static constexpr std::size_t kSize = std::is_same_v<Application, alignment>   ? kProteins
                                       : std::is_same_v<Application, floorplan> ? kCells
                                                                                : kLevels;
};
using all_three = testing::Types<alignment, floorplan, health>;
TYPED_TEST_SUITE(bots_application, all_three);

TYPED_TEST(bots_application, is_right_each_time) {
  TypeParam app{TestFixture::kSize};
  for (int run = 0; run < 3; ++run) {
    app.prepare();
    app.run(serial{});
    EXPECT_EQ(app.fault(), std::nullopt);
  }
}

TYPED_TEST(bots_application, is_right_in_another_order) {
  TypeParam app{TestFixture::kSize};
  app.prepare();
  app.run(backwards{});
  EXPECT_EQ(app.fault(), std::nullopt);
}

TYPED_TEST(bots_application, has_a_fault_before_it_has_run) {
  TypeParam app{TestFixture::kSize};
  EXPECT_NE(app.fault(), std::nullopt);
  app.prepare();
  EXPECT_NE(app.fault(), std::nullopt);
  app.run(serial{});
  app.prepare();
  EXPECT_NE(app.fault(), std::nullopt);
}

TYPED_TEST(bots_application, of_the_least_size_is_right) {
  constexpr std::size_t kLeast = std::is_same_v<TypeParam, floorplan> ? 1 : 2;
  TypeParam app{kLeast};
  app.prepare();
  EXPECT_NE(app.fault(), std::nullopt);
  app.run(serial{});
  EXPECT_EQ(app.fault(), std::nullopt);
}

template <class Application>
class bots_exact_application : public bots_application<Application> {};
using without_pruning = testing::Types<alignment, health>;
TYPED_TEST_SUITE(bots_exact_application, without_pruning);

// Every alignment; for health only some: all villages of the first day, and those of several later
// days.
TYPED_TEST(bots_exact_application, misses_a_task_and_sees_one_too_many) {
  TypeParam app{TestFixture::kSize};
  miscounting::plan none{.odd_task = SIZE_MAX, .runs = 0};
  app.prepare();
  app.run(miscounting{&none});
  ASSERT_EQ(app.fault(), std::nullopt);
  for (std::size_t odd = 0; odd < none.spawned; odd += odd < 20 ? 1 : 67) {
    for (const int runs : {0, 2}) {
      miscounting::plan plan{.odd_task = odd, .runs = runs};
      app.prepare();
      app.run(miscounting{&plan});
      EXPECT_NE(app.fault(), std::nullopt) << "task " << odd << " ran " << runs << " times";
    }
  }
}

TYPED_TEST(bots_exact_application, has_a_fault_while_tasks_are_left) {
  TypeParam app{TestFixture::kSize};
  std::vector<std::function<void()>> queue;
  app.prepare();
  app.run(late{&queue});
  EXPECT_NE(app.fault(), std::nullopt);
}

TEST(bots_alignment, is_done_when_all_late_tasks_are) {
  alignment app{kProteins};
  std::vector<std::function<void()>> queue;
  app.prepare();
  app.run(late{&queue});
  run_the_rest(queue);
  EXPECT_EQ(app.fault(), std::nullopt);
}

// Patients then arrive too late, though each village has had all of its days.
TEST(bots_health, needs_its_waits) {
  health app{kLevels};
  std::vector<std::function<void()>> queue;
  app.prepare();
  app.run(late{&queue});
  run_the_rest(queue);
  ASSERT_NE(app.fault(), std::nullopt);
  EXPECT_EQ(app.fault()->find(" days, not "), std::string::npos) << *app.fault();
}

// Only one of the first cell's two shapes leads to the optimum.
TEST(bots_floorplan, misses_the_branch_of_the_optimum) {
  floorplan app{kCells};
  const auto is_right = [&app](std::uint64_t runs) {
    app.prepare();
    app.run(pruning{.runs = runs});
    return !app.fault();
  };
  EXPECT_TRUE(is_right(0b11));
  EXPECT_TRUE(is_right(0b01));
  EXPECT_FALSE(is_right(0b10));
  EXPECT_FALSE(is_right(0b00));
}

// Two searches that share only the cells.
TEST(bots_floorplan, searches_agree_on_all_small_sizes) {
  for (std::size_t cells = 1; cells < kCells; ++cells) {
    floorplan app{cells};
    app.prepare();
    app.run(backwards{});
    EXPECT_EQ(app.fault(), std::nullopt) << cells << " cells";
  }
}

TEST(bots_floorplan_board, refuses_what_is_taken_and_what_is_outside) {
  bench::floorplan_board board;
  EXPECT_TRUE(board.lay({.x = 0, .y = 0, .width = 3, .height = 2}));
  EXPECT_FALSE(board.lay({.x = 2, .y = 1, .width = 2, .height = 2}));
  EXPECT_FALSE(board.lay({.x = 63, .y = 0, .width = 2, .height = 2}));
  EXPECT_FALSE(board.lay({.x = 0, .y = 63, .width = 2, .height = 2}));
  EXPECT_EQ(board.area(), 6);
  EXPECT_EQ(board.places().size(), 1U);
  EXPECT_TRUE(board.lay({.x = 3, .y = 1, .width = 2, .height = 2}));
  EXPECT_EQ(board.area(), 15);
}

TEST(bots_floorplan_board, keeps_the_smallest_plan) {
  bench::smallest_floorplan smallest;
  bench::floorplan_board large;
  bench::floorplan_board small;
  ASSERT_TRUE(large.lay({.x = 0, .y = 0, .width = 4, .height = 4}));
  ASSERT_TRUE(small.lay({.x = 0, .y = 0, .width = 2, .height = 3}));
  EXPECT_EQ(smallest.area(), bench::smallest_floorplan::kNone);
  for (const auto* plan : {&large, &small, &large}) {
    smallest.offer(*plan);
  }
  EXPECT_EQ(smallest.area(), 6);
  EXPECT_EQ(smallest.plan().area(), 6);
  smallest.forget();
  EXPECT_EQ(smallest.area(), bench::smallest_floorplan::kNone);
}

TEST(bots_floorplan_board, sees_a_false_plan) {
  const std::vector<bench::floorplan_cell> cells = {{.area = 4, .neighbour = 0, .is_below = false},
                                                    {.area = 6, .neighbour = 0, .is_below = false},
                                                    {.area = 16, .neighbour = 1, .is_below = true}};
  using plan = std::vector<bench::floorplan_place>;
  const plan good = {{.x = 0, .y = 0, .width = 2, .height = 2},
                     {.x = 2, .y = 0, .width = 2, .height = 3},
                     {.x = 0, .y = 3, .width = 4, .height = 4}};
  const auto fault = [&cells](const plan& of, int area) {
    return bench::fault_of_plan(cells, of, area).value_or("none");
  };
  const auto fault_with = [&](std::size_t cell, bench::floorplan_place place) {
    plan bad = good;
    bad[cell] = place;
    return fault(bad, 28);
  };
  EXPECT_EQ(fault(good, 28), "none");
  EXPECT_EQ(fault(good, 27), "the plan's area is 28, not 27");
  EXPECT_EQ(fault({}, 28), "the plan has 0 cells");
  EXPECT_EQ(fault_with(2, {.x = 0, .y = 2, .width = 4, .height = 4}),
            "cell 2 lies in a wrong place");
  EXPECT_EQ(fault_with(2, {.x = 4, .y = 3, .width = 4, .height = 4}),
            "cell 2 lies in a wrong place");
  EXPECT_EQ(fault_with(0, {.x = 0, .y = 1, .width = 2, .height = 2}),
            "cell 0 lies in a wrong place");
  const std::string shape = " has a shape that is none of its own";
  EXPECT_EQ(fault_with(1, {.x = 2, .y = 0, .width = 6, .height = 1}), "cell 1" + shape);
  EXPECT_EQ(fault_with(1, {.x = 2, .y = 0, .width = 2, .height = 2}), "cell 1" + shape);
  EXPECT_EQ(fault_with(2, {.x = 0, .y = 3, .width = 8, .height = 2}), "cell 2" + shape);
}

TEST(bots_floorplan_board, sees_cells_that_overlap) {
  const std::vector<bench::floorplan_cell> cells = {{.area = 4, .neighbour = 0, .is_below = false},
                                                    {.area = 6, .neighbour = 0, .is_below = false},
                                                    {.area = 8, .neighbour = 0, .is_below = true}};
  const std::vector<bench::floorplan_place> plan = {{.x = 0, .y = 0, .width = 2, .height = 2},
                                                    {.x = 2, .y = 0, .width = 2, .height = 3},
                                                    {.x = 0, .y = 2, .width = 4, .height = 2}};
  EXPECT_EQ(bench::fault_of_plan(cells, plan, 16), "cell 2 overlaps cell 1");
}

// A neighbour of 2 x 3, and shapes of 2 x 6, 3 x 4, 4 x 3 and 6 x 2.
TEST(bots_floorplan_board, chooses_among_all_places_beside_the_neighbour) {
  const auto places = [](bench::floorplan_place neighbour, bool is_below) {
    const std::vector<bench::floorplan_cell> cells = {
        {.area = 6, .neighbour = 0, .is_below = false},
        {.area = 12, .neighbour = 0, .is_below = is_below}};
    bench::floorplan_board board;
    EXPECT_TRUE(board.lay(neighbour));
    std::size_t count = 0;
    for (const bench::floorplan_place place : bench::floorplan_choice{cells, board}) {
      EXPECT_EQ(is_below ? place.y : place.x, is_below ? neighbour.y + 3 : neighbour.x + 2);
      ++count;
    }
    return count;
  };
  EXPECT_EQ(places({.x = 10, .y = 10, .width = 2, .height = 3}, false), 8U + 6 + 5 + 4);
  EXPECT_EQ(places({.x = 10, .y = 10, .width = 2, .height = 3}, true), 3U + 4 + 5 + 7);
  EXPECT_EQ(places({.x = 0, .y = 0, .width = 2, .height = 3}, false), 4U * 3);
  EXPECT_EQ(places({.x = 0, .y = 0, .width = 2, .height = 3}, true), 4U * 2);
}

// Compares a hash of them that is the same on each machine; so below.
TEST(bots_floorplan_board, cells_are_the_same_each_time) {
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(bench::least_area(bench::seeded_cells(kCells)), 70);
  }
}

int best_score(std::size_t first, std::size_t second) {
  const auto proteins = bench::seeded_proteins(kProteins);
  return bench::best_score(proteins[first], proteins[second]);
}

TEST(bots_protein_alignment, proteins_are_the_same_each_time) {
  EXPECT_EQ(bench::seeded_proteins(kProteins), bench::seeded_proteins(kProteins));
  EXPECT_EQ(best_score(0, 1), 435);  // related
  EXPECT_EQ(best_score(0, 3), 4);    // not
}

// Their memory is not larger.
TEST(bots_protein_alignment, proteins_are_of_known_residues_and_length) {
  for (const bench::protein& each : bench::seeded_proteins(100)) {
    EXPECT_GE(each.size(), 60U);
    EXPECT_LE(each.size(), bench::kLongestProtein);
    EXPECT_LT(*std::ranges::max_element(each), bench::kResidues);
  }
}

void expect_best_for_all_parts(const bench::protein& first, const bench::protein& second) {
  for (std::size_t first_size = 0; first_size <= first.size(); ++first_size) {
    for (std::size_t second_size = 0; second_size <= second.size(); ++second_size) {
      const bench::protein one(first.data(), first.data() + first_size);
      const bench::protein other(second.data(), second.data() + second_size);
      bench::protein_alignment found = bench::empty_alignment(one, other);
      bench::align(one, other, found);
      EXPECT_EQ(bench::fault_of_alignment(one, other, found, bench::best_score(one, other)),
                std::nullopt)
          << first_size << " and " << second_size << " residues";
    }
  }
}

// Also where the recursion ends.
TEST(bots_protein_alignment, is_best_for_all_lengths) {
  auto proteins = bench::seeded_proteins(4);
  for (bench::protein& each : proteins) {
    each.resize(24);
  }
  expect_best_for_all_parts(proteins[0], proteins[1]);
  expect_best_for_all_parts(proteins[0], proteins[3]);
}

// Two residues with the least score of all: two adjacent gaps are better than many pairs, and each
// has to be opened once.
TEST(bots_protein_alignment, opens_a_gap_once) {
  for (bench::residue own = 0; own < bench::kResidues; ++own) {
    if (bench::best_score({0}, {own}) == -4) {
      const bench::protein second(24, own);
      expect_best_for_all_parts(bench::protein(24, 0), second);
      return;
    }
  }
  FAIL() << "the table has no such residue";
}

TEST(bots_protein_alignment, takes_a_gap_where_residues_are_left_out) {
  const bench::protein whole = bench::seeded_proteins(1)[0];
  bench::protein shorter = whole;
  shorter.erase(shorter.begin() + 40, shorter.begin() + 43);
  bench::protein_alignment found = bench::empty_alignment(whole, shorter);
  bench::align(whole, shorter, found);
  EXPECT_EQ(found.identities, static_cast<int>(shorter.size()));
  EXPECT_EQ(std::ranges::count(found.steps, bench::align_step::kFirstAlone), 3);
  // The costs of three in a gap, as the table's diagonal is larger than the rest.
  EXPECT_EQ(found.score, bench::best_score(shorter, shorter) - 13);
}

TEST(bots_protein_alignment, sees_a_false_alignment) {
  const auto proteins = bench::seeded_proteins(2);
  const bench::protein& first = proteins[0];
  const bench::protein& second = proteins[1];
  const int best = bench::best_score(first, second);
  bench::protein_alignment good = bench::empty_alignment(first, second);
  bench::align(first, second, good);
  const auto has_fault = [&](const bench::protein_alignment& found, int best_of_them) {
    return bench::fault_of_alignment(first, second, found, best_of_them).has_value();
  };
  EXPECT_FALSE(has_fault(good, best));
  EXPECT_TRUE(has_fault(good, best + 1));
  EXPECT_TRUE(has_fault({}, 0));
  bench::protein_alignment bad = good;
  ++bad.score;
  EXPECT_TRUE(has_fault(bad, best));
  bad = good;
  ++bad.identities;
  EXPECT_TRUE(has_fault(bad, best));
  bad = good;
  bad.steps.pop_back();
  EXPECT_TRUE(has_fault(bad, best));
  bad = good;
  bad.steps.push_back(bench::align_step::kFirstAlone);
  EXPECT_TRUE(has_fault(bad, best));
  bad.steps.assign(first.size(), bench::align_step::kFirstAlone);  // valid, but not the best
  bad.steps.resize(first.size() + second.size(), bench::align_step::kSecondAlone);
  bad.score = -20 - static_cast<int>(first.size() + second.size());
  bad.identities = 0;
  EXPECT_FALSE(has_fault(bad, bad.score));
  EXPECT_TRUE(has_fault(bad, best));
}

TEST(bots_health_region, patients_are_the_same_each_time) {
  bench::health_region region{kLevels};
  bench::health_region other{kLevels};
  EXPECT_EQ(bench::difference(region, other), std::nullopt);
  bench::simulate_sequentially(region);
  EXPECT_NE(bench::difference(region, other), std::nullopt);
  bench::simulate_sequentially(other);
  EXPECT_EQ(bench::difference(region, other), std::nullopt);
  region.reset();
  bench::simulate_sequentially(region);
  EXPECT_EQ(bench::difference(region, other), std::nullopt);
  EXPECT_EQ(region.root().counts.treated, 31U);
}

// What enters comes out or is still there.
TEST(bots_health_region, counts_add_up) {
  bench::health_region region{kLevels};
  bench::simulate_sequentially(region);
  bench::health_counts sum;
  std::size_t well = 0;
  for (const bench::health_village& village : region.villages()) {
    EXPECT_EQ(village.counts.days, 60U);
    sum.fell_ill += village.counts.fell_ill;
    sum.sent_home += village.counts.sent_home;
    sum.treated += village.counts.treated;
    sum.passed_on += village.counts.passed_on;
    sum.days_waited += village.counts.days_waited;
    for (const auto* each = village.well.first(); each != nullptr; each = each->next) {
      EXPECT_EQ(each->home, &village);
      ++well;
    }
  }
  EXPECT_EQ(sum.fell_ill - sum.sent_home - sum.treated, region.patients().size() - well);
  EXPECT_GT(sum.passed_on, 0U);
  EXPECT_GT(sum.days_waited, 0U);
  EXPECT_EQ(region.root().counts.passed_on, 0U);
}

int length(const bench::health_queue& queue) {
  int patients = 0;
  for (const auto* each = queue.first(); each != nullptr; each = each->next) {
    ++patients;
  }
  return patients;
}

TEST(bots_health_region, staff_is_busy_with_a_patient_or_free) {
  bench::health_region region{kLevels};
  const int staff = region.root().free_staff;
  bool was_too_little = false;
  for (int day = 0; day < bench::health_region::kDays; ++day) {
    for (std::size_t village = region.villages().size(); village-- > 0;) {
      bench::simulate_day(region.villages()[village]);
    }
    const bench::health_village& root = region.root();
    EXPECT_GE(root.free_staff, 0);
    EXPECT_EQ(root.free_staff + length(root.assessed) + length(root.treated), staff);
    was_too_little = was_too_little || length(root.waiting) > 0;
  }
  EXPECT_TRUE(was_too_little);
}

TEST(bots_health_region, sees_each_count) {
  const bench::health_region expected{1};
  bench::health_region found{1};
  for (const auto count : {&bench::health_counts::days, &bench::health_counts::fell_ill,
                           &bench::health_counts::days_waited, &bench::health_counts::sent_home,
                           &bench::health_counts::passed_on, &bench::health_counts::treated}) {
    ++(found.root().counts.*count);
    EXPECT_NE(bench::difference(expected, found), std::nullopt);
    --(found.root().counts.*count);
    EXPECT_EQ(bench::difference(expected, found), std::nullopt);
  }
}

TEST(bots_health_region, sees_a_patient_twice_or_nowhere) {
  bench::health_region expected{1};
  bench::health_region found{1};
  expected.root().well.push(*expected.root().well.take_all());
  bench::health_patient& first = *found.root().well.take_all();
  found.root().well.push(first);
  found.root().waiting.push(first);
  EXPECT_EQ(bench::difference(expected, found),
            "village 0, waiting: a patient that is elsewhere, too");
  expected.reset();
  found.reset();
  static_cast<void>(found.root().well.take_all());
  EXPECT_EQ(bench::difference(expected, found),
            "village 0, well: other patients than without tasks");
  static_cast<void>(expected.root().well.take_all());
  EXPECT_EQ(bench::difference(expected, found), "40 patients are nowhere");
  found.reset();
  expected.reset();
  ++found.root().counts.treated;
  EXPECT_EQ(bench::difference(expected, found), "village 0: 1 treated, not 0");
}

}  // namespace
