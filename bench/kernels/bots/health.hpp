// Hospitals in a tree of villages, day by day: a task a village and day.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/bots/application.hpp"
#include "kernels/bots/health_village.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// Each day each village has a task for each of its four children, and when those are done a day
/// of its own: of its patients some fall ill, wait, are assessed, and sent home, treated, or passed
/// on to the parent's hospital. Source: "Barcelona OpenMP Tasks Suite" (see applications.hpp),
/// health without cutoff, after the Columbian health care simulation of the Olden suite (M.
/// Carlisle, "Olden: Parallelizing Programs with Dynamic Data Structures on Distributed-Memory
/// Machines", Princeton, 1996). Ours: all numbers (staff, days, chances), the patients, and that
/// patients have luck of their own and go in lists of the child to its parent, who takes them in
/// the children's order behind the wait: so no lock is taken, and whatever the tasks' order, all
/// that happens is the same.
class health final : public application {
 public:
  /// Requires: `levels` is 1 or more. Each has four times the villages of the one above.
  explicit health(std::size_t levels) : expected_{levels}, region_{levels} {
    simulate_sequentially(expected_);
  }

  void prepare() override { region_.reset(); }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    for (int day = 0; day < health_region::kDays; ++day) {
      simulate(tasks, region_.root());
    }
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    return difference(expected_, region_);
  }

 private:
  template <task_handle Tasks>
  static void simulate(Tasks tasks, health_village& village) {
    typename Tasks::group below{tasks};
    for (health_village& child : village.children) {
      below.spawn([&child](Tasks inner) { simulate(inner, child); });
    }
    below.wait();
    simulate_day(village);
  }

  health_region expected_;
  health_region region_;
};

}  // namespace fg::bench::bots
