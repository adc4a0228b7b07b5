// One run of a graph, as its nodes see it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"
#include "finegrain/graph/early_end.hpp"

namespace fg::inline FINEGRAIN_ABI {

class graph;

namespace detail {

/// In place of the number of a part: none runs.
inline constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

/// What the calls of a run are passed. Set before the run begins; its threads only read it, except for
/// `chosen`.
struct graph_run {
  early_end& end;
  /// Of a graph that is run with one, what its nodes get.
  void* frame = nullptr;
  /// By choice, the number of the part that runs. Written by the node of the choice, before those of
  /// its parts read it.
  std::uint32_t* chosen = nullptr;
  /// Runs another graph within a node, on `executor`.
  void (*run_part)(graph_run& run, graph& part) = nullptr;
  void* executor = nullptr;
};

}  // namespace detail
}  // namespace fg::inline FINEGRAIN_ABI
