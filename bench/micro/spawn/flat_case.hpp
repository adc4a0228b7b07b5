// The flat loop: what its tasks do, how it is checked, timed and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "micro/micro_program.hpp"
#include "micro/spawn/spawn_runtime.hpp"

namespace fg::bench {

/// What is measured.
struct flat_plan {
  std::size_t producers = 1;
  std::uint64_t tasks_each = 0;  ///< 0: as many as a batch takes batch_ms
  int batches = 5;
  int batch_ms = 30;
  bool by_thread = false;  ///< count each batch's tasks by thread, at a nanosecond or so a task

  /// A task runs the spin kernel for so many nanoseconds, at so many of its steps a microsecond …
  std::optional<double> delay_ns;
  double spin_steps_per_us = 0;
  /// … or a loop over a volatile counter, of 0 to so many turns, by its index at random but the
  /// same on every runtime (ompi-tasking-2012, section 4.1).
  std::uint64_t max_load = 0;
};

/// Adds the options to `command`.
void add_flat_options(CLI::App& command, flat_plan& plan);

/// Checks that each task runs once, then measures. Throws wrong_result, wrong_arguments.
[[nodiscard]] nlohmann::ordered_json measure_flat(const flat_plan& plan, std::size_t threads,
                                                  task_runner& runner);

}  // namespace fg::bench
