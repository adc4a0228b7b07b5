// The options of loops over a relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/controller/offload.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// The options of a `parallel_for`.
struct loop_options {
  /// Iterations that a thread takes at a time, the smallest piece that changes hands; the last
  /// piece may be shorter. 0: chosen by the measured cost of an iteration.
  std::size_t grain = 0;

  /// Whether the assistant takes part.
  offload mode = offload::adaptive;
};

/// The options of a `parallel_reduce`.
struct reduce_options {
  /// As in `loop_options`, but at least 1/64 of the range.
  std::size_t grain = 0;

  /// Whether the assistant takes part.
  offload mode = offload::adaptive;

  /// The same bits in every run, whichever thread computes what: see `parallel_reduce`.
  bool deterministic = false;
};

}  // namespace fg::inline FINEGRAIN_ABI
