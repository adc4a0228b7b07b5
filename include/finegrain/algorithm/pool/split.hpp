// Splits ranges for the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The number of workers that share what the calling thread spawns.
inline std::size_t workers_here() noexcept {
  const worker* const self = worker::current();
  return self == nullptr ? 1 : self->home().size();
}

/// Runs both halves, the second one forked; on a thread that is no worker both run there, in order.
template <if_short Then, class F, class G>
branch_values<F, G> fork_halves(F& first, G& second) {
  worker* const self = worker::current();
  return self == nullptr ? run_both_here(first, second) : fork_join_on<Then>(*self, first, second);
}

/// The default grain of `iterations`, if none is given: 1/64 of a worker's share. The last piece
/// then delays the end by at most 1.6 % if all iterations cost the same.
inline std::uint64_t grain_for(std::uint64_t iterations, std::uint64_t asked) noexcept {
  constexpr std::uint64_t kPiecesAWorker = 64;
  return asked != 0 ? asked
                    : std::max<std::uint64_t>(iterations / (kPiecesAWorker * workers_here()), 1);
}

/// The same from the length alone, for results that must not depend on the workers.
inline std::uint64_t fixed_grain_for(std::uint64_t iterations, std::uint64_t asked) noexcept {
  constexpr std::uint64_t kPieces = 256;
  return asked != 0 ? asked : std::max<std::uint64_t>(iterations / kPieces, 1);
}

/// The number of pieces of `grain` in `iterations`, which is not 0.
inline std::uint64_t pieces_of(std::uint64_t iterations, std::uint64_t grain) noexcept {
  return (iterations - 1) / grain + 1;
}

/// Where a range of more than one grain is halved: at a multiple of the grain from its begin, so
/// that only the very last piece may be shorter.
inline std::uint64_t middle_of(std::uint64_t begin, std::uint64_t end,
                               std::uint64_t grain) noexcept {
  return begin + pieces_of(end - begin, grain) / 2 * grain;
}

/// Calls `piece(begin, end)` here over [begin, end), not empty, in pieces of `grain`; 0: in one.
template <class Piece>
void run_all_here(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, const Piece& piece) {
  for (; grain != 0 && end - begin > grain; begin += grain) {
    piece(begin, begin + grain);
  }
  piece(begin, end);
}

template <class Piece>
bool split_lazily(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, const Piece& piece);

// Another worker wants work. Rare, so out of line.
template <class Piece>
FINEGRAIN_NOINLINE bool give_half_away(worker& self, std::uint64_t begin, std::uint64_t end,
                                       std::uint64_t grain, const Piece& piece) {
  if (piece.is_over()) {
    return false;
  }
  const std::uint64_t middle = middle_of(begin, end, grain);
  const auto first = [&] { return split_lazily(begin, middle, grain, piece); };
  const auto second = [&] {
    const bool is_elsewhere = worker::current() != &self;
    return split_lazily(middle, end, grain, piece) || is_elsewhere;
  };
  const auto [first_taken, second_taken] = fork_join_on<if_short::push>(self, first, second);
  return first_taken || second_taken;
}

/// Runs `piece(begin, end)` over [begin, end), not empty, in pieces of `grain` until one returns
/// false, as it does if `piece.is_over()`. Forks the second half of the rest when another worker
/// wants work. True if another took some. Lazy binary splitting: Tzannes et al. (PPoPP 2010).
template <class Piece>
bool split_lazily(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, const Piece& piece) {
  while (end - begin > grain) {
    worker* const self = worker::current();
    if (self != nullptr && self->wants_tasks()) {
      return give_half_away(*self, begin, end, grain, piece);
    }
    if (!piece(begin, begin + grain)) {
      return false;
    }
    begin += grain;
  }
  piece(begin, end);
  return false;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
