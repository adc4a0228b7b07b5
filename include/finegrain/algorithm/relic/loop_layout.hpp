// Cuts a loop into chunks, and says which thread begins with which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/algorithm/relic/shared_range.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What is asked for.
struct loop_shape {
  std::uint64_t iterations = 0;
  std::uint64_t grain = 0;  ///< iterations in a chunk; 0: as many as suit
  std::uint64_t most_chunks = shared_range::kMostChunks;  ///< 0 < it <= shared_range::kMostChunks
  bool fixed_chunks = false;  ///< the chunks must not depend on measurements
};

/// What is known. Ticks; 0 where it is not known.
struct loop_cost {
  double serial = 0;  ///< of the whole loop on one thread
  double round_trip = 0;
};

/// Chunks of equal length, but for the last one, numbered in the order of the range. Main begins
/// with [0, split), the assistant with [split, chunks), each with `granted` or all chunks of its
/// part before it looks at what is shared.
class loop_layout {
 public:
  /// Requires: at least one iteration. Where that gives one chunk only, the loop is not to be
  /// shared.
  loop_layout(const loop_shape& shape, const loop_cost& cost) noexcept
      : iterations_{shape.iterations} {
    const bool cost_known = cost.serial > 0 && cost.round_trip > 0;
    const bool is_short = cost_known && cost.serial < kShortLoop * cost.round_trip;
    // The assistant begins half a round trip later, and its completion comes half a one later.
    const double mains_share =
        cost_known ? std::min(0.5 + 0.5 * cost.round_trip / cost.serial, kMostForMain) : 0.5;
    const bool is_cut_by_cost = cost_known && shape.grain == 0;
    const bool in_two = is_short && shape.grain == 0 && !shape.fixed_chunks;
    chunk_ = in_two ? share_of(iterations_, mains_share) : chunk_for(shape, cost, cost_known);
    chunk_ = std::max(chunk_, divided(iterations_, shape.most_chunks));
    chunks_ = static_cast<std::uint32_t>(divided(iterations_, chunk_));
    split_ = in_two ? 1 : static_cast<std::uint32_t>(share_of(chunks_, mains_share));
    granted_ = is_short ? chunks_ : is_cut_by_cost ? std::max(1U, chunks_ / kGrantedShare) : 1;
  }

  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  /// Iterations in a chunk.
  [[nodiscard]] std::uint64_t chunk() const noexcept { return chunk_; }
  [[nodiscard]] std::uint32_t chunks() const noexcept { return chunks_; }
  [[nodiscard]] bool is_shareable() const noexcept { return chunks_ > 1; }

  /// The first iteration of `chunk`; for the number of chunks, the end.
  [[nodiscard]] std::uint64_t begin_of(std::uint32_t chunk) const noexcept {
    return chunk == chunks_ ? iterations_ : chunk_ * chunk;
  }

  // Requires, the following: is_shareable().

  /// Nobody shares a chunk: each does its own part.
  void grant_all() noexcept { granted_ = chunks_; }
  [[nodiscard]] bool grants_all() const noexcept { return granted_ == chunks_; }

  /// The first chunk of the assistant.
  [[nodiscard]] std::uint32_t split() const noexcept { return split_; }
  /// The end of what main and the assistant begin with.
  [[nodiscard]] std::uint32_t mains_grant() const noexcept { return std::min(granted_, split_); }
  [[nodiscard]] std::uint32_t assistants_grant() const noexcept {
    return split_ + std::min(granted_, chunks_ - split_);
  }

 private:
  static std::uint64_t divided(std::uint64_t total, std::uint64_t by) noexcept {
    return total / by + static_cast<std::uint64_t>(total % by != 0);
  }

  // Rounded up, at least one, and, if possible, not all.
  static std::uint64_t share_of(std::uint64_t total, double share) noexcept {
    const double part = static_cast<double>(total) * share;
    const auto whole = static_cast<std::uint64_t>(part);
    return std::clamp<std::uint64_t>(
        whole + static_cast<std::uint64_t>(part > static_cast<double>(whole)), 1,
        std::max<std::uint64_t>(total - 1, 1));
  }

  static std::uint64_t chunk_for(const loop_shape& shape, const loop_cost& cost,
                                 bool cost_known) noexcept {
    if (shape.grain != 0) {
      return shape.grain;
    }
    if (!cost_known || shape.fixed_chunks) {
      return divided(shape.iterations, std::min<std::uint64_t>(shape.most_chunks, kUsualChunks));
    }
    const double share =
        std::max(kShortestChunk * cost.round_trip / cost.serial, 1.0 / kUsualChunks);
    return share_of(shape.iterations, share);
  }

  // A loop shorter than that, in round trips, is cut in two and done with. Sharing chunks costs
  // some two round trips: the lines of the range travel to the assistant, and each thread looks at
  // the other's when it has run dry.
  static constexpr double kShortLoop = 8;
  // Half of its part is what a thread begins with: meanwhile the range's lines travel. Against one
  // chunk: 1.03 times as fast for 20 us of growing iterations (EPYC 9004, KVM).
  static constexpr std::uint32_t kGrantedShare = 4;
  // The end of a loop is as uneven as a chunk is long, and taking one costs 8 ns.
  static constexpr std::uint32_t kUsualChunks = 64;
  // Of a loop too short to gain anything, which somebody wants to be shared all the same.
  static constexpr double kMostForMain = 0.98;
  // In round trips: a shorter one is not worth to be stolen.
  static constexpr double kShortestChunk = 1;

  std::uint64_t iterations_;
  std::uint64_t chunk_ = 1;
  std::uint32_t chunks_ = 1;
  std::uint32_t split_ = 1;
  std::uint32_t granted_ = 1;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
