// The options of loops over a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "finegrain/controller/offload.hpp"
#include "finegrain/core/stop_token.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// How the iterations of a loop are distributed among the workers of a pool.
enum class partition {
  lazy,     ///< split in half whenever another worker wants work: no tasks beyond those taken
  dynamic,  ///< pieces of one grain, from a shared counter
  fixed     ///< one piece per worker, of equal length, whatever they cost
};

/// How to run a `parallel_for` over a pool.
struct pool_loop_options {
  partition how = partition::lazy;

  /// Iterations of the smallest piece; the last one may be shorter. 0: 1/64 of a worker's share, at
  /// least one, and what is worth a steal if that is known. `partition::fixed` ignores it.
  std::size_t grain = 0;

  /// After a stop request, pieces that have not begun never do, and the loop returns when those
  /// that have begun have ended. It does not report whether some were left out: the token does.
  stop_token stop{};

  /// Whether other workers take part. `adaptive`: unless the loop was measured to be too short for
  /// that, which holds for lazy loops without a stop token; others are always offered.
  offload mode = offload::adaptive;
};

/// How to run a `parallel_reduce` or `parallel_scan` over a pool.
struct pool_reduce_options {
  /// As in `pool_loop_options`.
  std::size_t grain = 0;

  /// The same bits in every run, with any number of workers: the range is split by its length and
  /// `grain` alone.
  bool deterministic = false;

  /// As in `pool_loop_options`: pieces left out of a reduction count as the identity; what a scan
  /// has written is then unspecified.
  stop_token stop{};

  /// As in `pool_loop_options`; reductions that are deterministic are offered unless it is `never`.
  offload mode = offload::adaptive;
};

}  // namespace fg::inline FINEGRAIN_ABI
