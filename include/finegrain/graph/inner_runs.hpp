// Nodes that run other graphs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "finegrain/core/config.hpp"
#include "finegrain/graph/graph_run.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Runs a graph again and again. `Calls` calls `again`.
template <class Calls, class F>
class part_loop {
 public:
  part_loop(F again, graph_core& part) : again_(std::move(again)), part_{&part} {}

  void operator()(graph_run& run) {
    while (!run.end.is_set() && Calls::call(again_, run)) {
      run.run_part(run, *part_);
    }
  }

 private:
  F again_;
  graph_core* part_;
};

/// Runs a graph whose nodes `grow(graph)` adds before, each time.
template <class F, class Graph>
class growing_part {
 public:
  growing_part(F grow, std::unique_ptr<Graph> part)
      : grow_(std::move(grow)), part_{std::move(part)} {}

  void operator()(graph_run& run) {
    part_->clear();
    grow_(*part_);
    run.run_part(run, part_->core_);
  }

 private:
  F grow_;
  std::unique_ptr<Graph> part_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
