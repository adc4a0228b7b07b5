// Nodes that run other graphs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "finegrain/core/config.hpp"
#include "finegrain/graph/graph_run.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// For closures of ours: called with the run.
struct with_run {
  template <class F>
  static decltype(auto) call(F& closure, graph_run& run) {
    return closure(run);
  }
};

/// Runs a graph again and again. `Calls` calls `again`.
template <class Calls, class F>
class part_loop {
 public:
  part_loop(F again, graph& part) : again_(std::move(again)), part_{&part} {}

  void operator()(graph_run& run) {
    while (!run.end.is_set() && Calls::call(again_, run)) {
      run.run_part(run, *part_);
    }
  }

 private:
  F again_;
  graph* part_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
