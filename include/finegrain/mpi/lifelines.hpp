// Whom a rank without work asks: some others at random, then its lifelines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi::detail {

/// The requests of one rank between two times that it has work.
///
/// It asks a few others, one after the other. If all refuse it asks its lifelines, all of them, and
/// then waits: a lifeline that cannot give at once remembers the request, and gives when it can. So
/// ranks without work cause no traffic. A rank's lifelines are those whose number differs in one
/// binary digit, as in a hypercube from which some corners are missing: clearing the highest digit
/// leads to a rank that exists, so every rank is connected to rank 0, and work reaches all.
/// Source: V. A. Saraswat et al., "Lifeline-based global load balancing", PPoPP 2011.
class lifelines {
 public:
  lifelines(int rank, int count, std::uint64_t seed)
      : rank_{rank}, count_{count}, random_{seed_of(rank, seed)} {
    for (int digit = 1; digit < count; digit *= 2) {
      if ((rank ^ digit) < count) {
        all_.push_back(rank ^ digit);
        is_pending_.push_back(false);
      }
    }
  }

  [[nodiscard]] const std::vector<int>& all() const noexcept { return all_; }

  /// The next rank to ask at random; none if it is the lifelines' turn. Requires another rank.
  std::optional<int> next_victim() {
    if (asked_ == kRandomRequests) {
      return std::nullopt;
    }
    ++asked_;
    const auto others = static_cast<unsigned>(count_ - 1);
    const int other = static_cast<int>(random_() % others);
    return other < rank_ ? other : other + 1;
  }

  /// The lifelines to ask: none before the last random request, nor one that has not yet given what
  /// it was asked for.
  std::vector<int> due() {
    std::vector<int> due;
    for (std::size_t i = 0; asked_ == kRandomRequests && i != all_.size(); ++i) {
      if (!is_pending_[i]) {
        is_pending_[i] = true;
        due.push_back(all_[i]);
      }
    }
    return due;
  }

  /// Work has come: begin again when it has run out.
  void got_work() noexcept { asked_ = 0; }
  /// It has come from a lifeline, at last.
  void got_gift(int from) {
    is_pending_[static_cast<std::size_t>(std::ranges::find(all_, from) - all_.begin())] = false;
    got_work();
  }

 private:
  static constexpr int kRandomRequests = 2;

  // The generator takes it modulo this anyway, and on Windows it takes 32 bits.
  static std::minstd_rand::result_type seed_of(int rank, std::uint64_t seed) noexcept {
    const std::uint64_t whole = seed * 1'000'003U + static_cast<unsigned>(rank);
    return static_cast<std::minstd_rand::result_type>(whole % std::minstd_rand::modulus);
  }

  int rank_;
  int count_;
  int asked_ = 0;
  std::minstd_rand random_;
  std::vector<int> all_;
  std::vector<bool> is_pending_;
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi::detail
