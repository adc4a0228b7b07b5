// The options of a run over MPI, and what it returns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "finegrain/core/stop_token.hpp"
#include "finegrain/mpi/bound.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi {

/// What one rank has done in a run.
struct rank_counts {
  std::uint64_t items = 0;     ///< processed
  std::uint64_t requests = 0;  ///< for work, sent
  std::uint64_t steals = 0;    ///< messages with work, received
  std::uint64_t messages = 0;  ///< of any kind, sent
  std::uint64_t bytes = 0;     ///< in these
  double idle_seconds = 0;     ///< without work
  double seconds = 0;          ///< from the beginning to the end
};

/// How far all ranks are, as far as rank 0 has heard.
struct progress {
  std::uint64_t items = 0;  ///< processed
  std::uint64_t left = 0;   ///< items in the bags of the threads that call MPI
  double seconds = 0;       ///< since the run began
};

/// Checkpoints: all items and results, as files, from which a run resumes, with any number of ranks.
struct checkpoint_options {
  /// The name of a file, in a folder that all ranks see; those of the ranks' parts begin with it and
  /// a dot. If the file is there, `run` begins with what it contains in place of the bags' items. It
  /// is removed when all work is done. Empty: no checkpoints.
  std::string path{};
  /// How often one is written.
  std::chrono::milliseconds every = std::chrono::minutes{10};
  /// What problem it is, one line: a run resumes only a checkpoint of the same.
  std::string problem{};
};

/// How to run; the same on all ranks, but for `stop` and `seed`.
struct run_options {
  /// What bags share for branch and bound, or null: see `bound`. It becomes part of checkpoints.
  fg::mpi::bound* shared = nullptr;
  /// Called on rank 0 about once for each `report_every`.
  std::function<void(const progress&)> report{};
  std::chrono::milliseconds report_every = std::chrono::seconds{1};
  checkpoint_options checkpoint{};
  /// A request on any rank ends the run on all, after a checkpoint if there is a path.
  stop_token stop{};
  /// Chooses victims.
  std::uint64_t seed = 1;
};

/// What a run returns, the same on all ranks.
template <class Result>
struct outcome {
  Result result{};
  bool has_finished = false;  ///< false: a stop was requested, and the result is that so far
  std::vector<rank_counts> by_rank;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi
