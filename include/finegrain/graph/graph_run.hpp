// One run of a graph, as its nodes see it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "finegrain/core/config.hpp"
#include "finegrain/graph/early_end.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

class graph_core;

/// In place of the number of a part: none runs.
inline constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

/// What the calls of a run are passed. Set before the run begins; its threads only read it, except for
/// `chosen`.
struct graph_run {
  early_end& end;
  /// What `run` was given for the nodes, if anything.
  void* frame = nullptr;
  /// By choice, the number of the part that runs. Written by the node of the choice, before those of
  /// its parts read it.
  std::uint32_t* chosen = nullptr;
  /// Runs another graph within a node, on `executor`.
  void (*run_part)(graph_run& run, graph_core& part) = nullptr;
  void* executor = nullptr;
};

/// How the closures of a graph are called: with the frame, if there is one.
template <class... Frame>
struct frame_calls {
  template <class F>
  static constexpr bool may_call = std::is_invocable_v<F&, Frame&...>;
  template <class F>
  static decltype(auto) call(F& closure, [[maybe_unused]] graph_run& run) {
    return closure(*static_cast<Frame*>(run.frame)...);
  }
};

/// How closures of ours are called: with the run.
struct run_calls {
  template <class F>
  static decltype(auto) call(F& closure, graph_run& run) {
    return closure(run);
  }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
