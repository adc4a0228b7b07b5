// A measurement of the spawn programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "programs/frame/options.hpp"
#include "programs/spawn/cases/batches.hpp"
#include "programs/spawn/spawn_runtime.hpp"

namespace fg::bench {

/// A subcommand with its options, its measurement, and what its ceiling repeats.
class spawn_case {
 public:
  spawn_case() = default;
  spawn_case(const spawn_case&) = delete;
  spawn_case& operator=(const spawn_case&) = delete;
  virtual ~spawn_case() = default;

  /// Called once, before the arguments are parsed and before all other functions.
  virtual options add_to(options& app) = 0;
  /// Throws wrong_arguments for errors that can be detected before anything runs.
  virtual void require_sense(const batch_plan& /*plan*/) const {}
  /// Empty: it has no ceiling.
  [[nodiscard]] virtual unit_of_work unit() const = 0;
  /// The case's part of the line. Throws wrong_result, wrong_arguments.
  [[nodiscard]] virtual nlohmann::ordered_json measure(const batch_plan& plan,
                                                       task_runner& runner) const = 0;
};

[[nodiscard]] std::unique_ptr<spawn_case> make_fib_case();
[[nodiscard]] std::unique_ptr<spawn_case> make_tree_case();
[[nodiscard]] std::unique_ptr<spawn_case> make_flat_case();
[[nodiscard]] std::unique_ptr<spawn_case> make_uts_case();
[[nodiscard]] std::unique_ptr<spawn_case> make_bots_case();
[[nodiscard]] std::unique_ptr<spawn_case> make_cholesky_case();
[[nodiscard]] std::unique_ptr<spawn_case> make_syrk_case();

}  // namespace fg::bench
