// Steal requests: a thief asks a victim for tasks and need not wait for the answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// One cell per worker that holds the thief that asks it for tasks. A worker that is not asked pays
/// one relaxed load for the check.
///
/// Source: X-OpenMP (2024), sections 4.1 and 4.2, Algorithms 2 to 5. The word is theirs: 40 bits of
/// round, 24 bits for the asker.
///
/// ## States of a cell
///
///     (round, nobody)   free                 ask:       -> (round + 1, thief), by any thief
///                                            close:     -> (round + 1, self), by its worker
///     (round, thief)    asked                claim:     -> (round + 1, nobody), by its worker
///                                            withdraw:  -> (round + 1, nobody), by that thief
///     (round, self)     closed: it is idle   open:      -> (round + 1, nobody), by its worker
///
/// ## Corrections
/// * In the paper thieves store: two that read the same round overwrite each other, and a slow one
///   overwrites a newer valid request with its old one; the loser finds out by rereading. Here
///   every change that another thread could make too is a compare-exchange from the word that was
///   read. The round is part of the word, so a word never recurs (within 2^40 changes, 3 hours at
///   one each 10 ns), and a thread that succeeds changes exactly the state that it has seen.
/// * In the paper the victim reads a request and answers it later: a thief that has given up in
///   between is answered nevertheless, perhaps while it asks another victim. Here the victim claims
///   the request before it answers, and a thief withdraws it before it asks another victim: exactly
///   one of the two succeeds. A claimed request is always answered.
/// * The self-query is `self_r + thread_id << 40` there, which C reads as a shift of the sum. Here
///   only `word_of` packs.
/// * The victim's own round in addition to the cell is not needed: it is the round in the cell.
///
/// Races: the compare-exchange decides between ask, close, claim and withdraw. Open is a store,
/// since only its worker changes a closed cell.
class steal_requests {
 public:
  /// The asker and the round, as read from a cell.
  using word_type = std::uint64_t;
  static constexpr std::size_t kNobody = (std::size_t{1} << 24U) - 1;

  /// Requires: workers < kNobody. Throws std::bad_alloc.
  explicit steal_requests(std::size_t workers) : cells_(workers) {}

  static constexpr std::size_t asker_of(word_type word) noexcept { return word >> kRoundBits; }
  static constexpr std::uint64_t round_of(word_type word) noexcept { return word & kRoundMask; }

  // ---- thief ----

  /// Asks the victim; false if it is idle or another thief has. `asked`: the request to `withdraw`.
  bool ask(std::size_t victim, std::size_t thief, word_type& asked) noexcept {
    // Relaxed: the compare-exchange decides.
    word_type free = cells_[victim].word.load(memory_order_relaxed);
    if (asker_of(free) != kNobody) {
      return false;
    }
    asked = next_word(free, thief);
    // Release: pairs with claim's acquire, so that the thief has emptied its mailbox, and announced
    // that it sleeps, before the answer.
    return cells_[victim].word.compare_exchange_strong(free, asked, memory_order_release,
                                                       memory_order_relaxed);
  }

  /// True while the request is neither claimed nor withdrawn.
  [[nodiscard]] bool stands(std::size_t victim, word_type asked) const noexcept {
    return cells_[victim].word.load(memory_order_relaxed) == asked;  // relaxed: carries no data
  }

  /// True: it will not be answered. False: the victim has claimed it; the answer comes.
  bool withdraw(std::size_t victim, word_type asked) noexcept {
    const word_type free = next_word(asked, kNobody);  // NOLINT(*-suspicious-call-argument)
    // Relaxed: either way no data is passed.
    return cells_[victim].word.compare_exchange_strong(asked, free, memory_order_relaxed);
  }

  // ---- the cell's worker ----

  /// The word of the worker's own cell. `asker_of` may be the worker itself: closed.
  [[nodiscard]] word_type look(std::size_t self) const noexcept {
    return cells_[self].word.load(memory_order_relaxed);  // relaxed: claim verifies it
  }

  /// True: the caller has to answer the request `seen`.
  bool claim(std::size_t self, word_type seen) noexcept {
    // Acquire: pairs with ask's release. Relaxed on failure: the thief has withdrawn it.
    return cells_[self].word.compare_exchange_strong(seen, next_word(seen, kNobody),
                                                     memory_order_acquire, memory_order_relaxed);
  }

  /// Refuses requests from now on, since there is nothing to give: the self-query. Has no effect if
  /// a request exists already; that one may stand until there is a task or its thief withdraws it.
  void close(std::size_t self) noexcept {
    word_type free = look(self);
    if (asker_of(free) == kNobody) {
      // Relaxed: carries no data.
      cells_[self].word.compare_exchange_strong(free, next_word(free, self), memory_order_relaxed);
    }
  }

  /// Ends `close`.
  void open(std::size_t self) noexcept {
    const word_type word = look(self);
    if (asker_of(word) == self) {
      cells_[self].word.store(next_word(word, kNobody), memory_order_relaxed);  // carries no data
    }
  }

 private:
  static constexpr unsigned kRoundBits = 40;
  static constexpr std::uint64_t kRoundMask = (std::uint64_t{1} << kRoundBits) - 1;

  static constexpr word_type word_of(std::uint64_t round, std::size_t asker) noexcept {
    return (round & kRoundMask) + (static_cast<word_type>(asker) << kRoundBits);
  }
  static constexpr word_type next_word(word_type before, std::size_t asker) noexcept {
    return word_of(round_of(before) + 1, asker);
  }

  struct alignas(kCacheLineBytes) cell {
    atomic<word_type> word{word_of(0, kNobody)};
  };

  std::vector<cell> cells_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
