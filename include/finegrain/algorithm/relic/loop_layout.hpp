// Cuts a loop into chunks, and says with which chunks each thread begins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/algorithm/relic/shared_range.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The loop as the caller asks for it.
struct loop_shape {
  std::uint64_t iterations = 0;
  std::uint64_t grain = 0;  ///< iterations in a chunk; 0: as many as fit best
  std::uint64_t most_chunks = shared_range::kMostChunks;  ///< 0 < it <= shared_range::kMostChunks
  bool fixed_chunks = false;  ///< the chunks must not depend on measurements
};

/// The measured costs, in ticks; 0 if not known.
struct loop_cost {
  double serial = 0;  ///< of the whole loop on one thread
  double round_trip = 0;
};

/// Chunks of equal length, except for the last one, numbered in the order of the range. The main
/// thread begins with [0, split), the assistant with [split, chunks). Each runs `granted` or all
/// chunks of its part before it looks at what is shared.
class loop_layout {
 public:
  /// Requires: at least one iteration. If that gives only one chunk, the loop is not to be shared.
  loop_layout(const loop_shape& shape, const loop_cost& cost) noexcept
      : iterations_{shape.iterations} {
    const bool cost_known = cost.serial > 0 && cost.round_trip > 0;
    const bool is_short = cost_known && cost.serial < kShortLoop * cost.round_trip;
    // The assistant begins half a round trip later, and its completion arrives another half later.
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

  /// The first iteration of `chunk`; the end of the range if that is the number of chunks.
  [[nodiscard]] std::uint64_t begin_of(std::uint32_t chunk) const noexcept {
    return chunk == chunks_ ? iterations_ : chunk_ * chunk;
  }

  // The following require is_shareable().

  /// No chunk is shared: each thread runs its own part.
  void grant_all() noexcept { granted_ = chunks_; }
  [[nodiscard]] bool grants_all() const noexcept { return granted_ == chunks_; }

  /// The first chunk of the assistant.
  [[nodiscard]] std::uint32_t split() const noexcept { return split_; }
  /// The ends of what the main thread and the assistant begin with.
  [[nodiscard]] std::uint32_t mains_grant() const noexcept { return std::min(granted_, split_); }
  [[nodiscard]] std::uint32_t assistants_grant() const noexcept {
    return split_ + std::min(granted_, chunks_ - split_);
  }

 private:
  static std::uint64_t divided(std::uint64_t total, std::uint64_t by) noexcept {
    return total / by + static_cast<std::uint64_t>(total % by != 0);
  }

  // Rounded up, at least one and, if possible, not all.
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

  // A loop shorter than that, in round trips, is only cut in two. Sharing chunks costs about two
  // round trips: the lines of the range travel to the assistant, and each thread looks at the
  // other's line when its own part is empty.
  static constexpr double kShortLoop = 8;
  // A thread begins with half of its part, while the range's lines travel. Compared to one chunk:
  // 1.03 times as fast for 20 us of growing iterations (EPYC 9004, KVM).
  static constexpr std::uint32_t kGrantedShare = 4;
  // The end of a loop is as uneven as a chunk is long, and taking a chunk costs 8 ns.
  static constexpr std::uint32_t kUsualChunks = 64;
  // For a loop that is too short to gain anything but has to be shared all the same.
  static constexpr double kMostForMain = 0.98;
  // In round trips: a shorter chunk is not worth stealing.
  static constexpr double kShortestChunk = 1;

  std::uint64_t iterations_;
  std::uint64_t chunk_ = 1;
  std::uint32_t chunks_ = 1;
  std::uint32_t split_ = 1;
  std::uint32_t granted_ = 1;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
