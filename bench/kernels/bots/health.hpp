// Hospitals in a tree of villages, day by day: one task per village and day.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "kernels/bots/application.hpp"
#include "kernels/bots/health_village.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// On each day each village spawns a task for each of its four children and then, after they have
/// finished, simulates its own day: some of its patients fall ill, wait, are assessed, and sent
/// home, treated, or passed on to the parent's hospital. Source: "Barcelona OpenMP Tasks Suite"
/// (see applications.hpp), health without cutoff, after the Columbian health care simulation of the
/// Olden suite (M. Carlisle, "Olden: Parallelizing Programs with Dynamic Data Structures on
/// Distributed-Memory Machines", Princeton, 1996). Ours: all numbers (staff, days, chances), the
/// patients, that each patient has its own random generator, and that a child passes patients to
/// its parent in a list, which the parent takes after the wait, in the order of the children. So no
/// lock is needed, and the result does not depend on the order of the tasks.
class health final : public application {
 public:
  /// Requires: `levels` is 1 or more. Each level has four times as many villages as the one above.
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
