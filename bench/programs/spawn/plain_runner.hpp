// The runner of a runtime, built from its forms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/counted_tasks.hpp"
#include "programs/spawn/workloads/leaves.hpp"

namespace fg::bench {

/// `Forms` has five functions, called on the thread on which the session calls its body:
/// `fib<Leaf>(n)` returns the sum of the leaves, each `Leaf::value(n)`; `flat(job)`; `walk(tree)`,
/// for any walk (walk.hpp); `with_tasks(tied, root)`, which calls `root` with a handle of its tasks
/// (kernels/bots/tasks.hpp) and returns after it; `run(job)`, a tile program.
template <class Forms>
class plain_runner : public task_runner {
 public:
  explicit plain_runner(Forms forms) : forms_{std::move(forms)} {}

  std::uint64_t fib(int n) override { return forms_.template fib<fib_leaf>(n); }
  std::uint64_t counted_fib(int n) override { return forms_.template fib<census_leaf>(n); }
  void flat(const flat_job& job) override { forms_.flat(job); }
  std::uint64_t walk(const balanced_walk& tree) override { return forms_.walk(tree); }
  std::uint64_t walk(const balanced_census& tree) override { return forms_.walk(tree); }
  uts::count walk(const uts_walk& tree) override { return forms_.walk(tree); }
  uts::count walk(const uts_census& tree) override { return forms_.walk(tree); }
  uts::count walk(const uts_timeline& tree) override { return forms_.walk(tree); }
  void run(const application_run& asked) override {
    std::visit(
        [&](const auto& application) {
          forms_.with_tasks(asked.tied, [&](auto tasks) {
            if (asked.counted) {
              application->run(counted_tasks{tasks});
            } else {
              application->run(tasks);
            }
          });
        },
        asked.application);
  }
  void run(const tile_job& job) override { forms_.run(job); }

 private:
  Forms forms_;
};

}  // namespace fg::bench
