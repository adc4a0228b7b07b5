// What every application of the suite is to the program around it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace fg::bench::bots {

/// One piece of work and its input. An application has, beside this,
/// `template <task_handle Tasks> void run(Tasks tasks)`: one run, called within a task or on a
/// thread that may spawn; and `kTasksVary`. All calls from one thread.
class application {
 public:
  application() = default;
  application(const application&) = delete;
  application& operator=(const application&) = delete;
  virtual ~application() = default;

  /// Whether the number of its tasks depends on what their order happens to be.
  static constexpr bool kTasksVary = false;

  /// Before each run: the input as it was, and no result, so that there is a fault. Not timed.
  virtual void prepare() = 0;

  /// After a run: nothing if its result is right, else what differs, in one line. The right result
  /// comes from other code than the run's.
  [[nodiscard]] virtual std::optional<std::string> fault() const = 0;
};

}  // namespace fg::bench::bots
