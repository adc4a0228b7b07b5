// The interface of every application of the suite.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace fg::bench::bots {

/// One computation and its input. An application also has `template <task_handle Tasks> void
/// run(Tasks tasks)`, which is one run, called within a task or on a thread that may spawn; and
/// `kTasksVary`. Call everything from one thread.
class application {
 public:
  application() = default;
  application(const application&) = delete;
  application& operator=(const application&) = delete;
  virtual ~application() = default;

  /// Whether the number of its tasks depends on the order in which they run.
  static constexpr bool kTasksVary = false;

  /// Called before each run: restores the input and clears the result, so that a check fails. Not
  /// timed.
  virtual void prepare() = 0;

  /// Called after a run: nothing if the result is right, else what differs, in one line. The
  /// expected result is computed by other code than the run's.
  [[nodiscard]] virtual std::optional<std::string> fault() const = 0;
};

}  // namespace fg::bench::bots
