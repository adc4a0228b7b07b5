// Detects that all ranks have run out of work: Safra's algorithm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::mpi::detail {

/// One rank's part of it. It exchanges no messages itself: the caller sends what it returns.
///
/// A token goes around the ranks; each passes it on when it has no work. It adds up the work
/// messages that were sent and not received. A rank that has received work is black, because it may
/// have given work to a rank that the token had already passed; it blackens the token, and becomes
/// white again. When rank 0 gets a white token back, is white itself, and the sum is zero, no rank
/// has work and no message is in flight. Otherwise it sends the token around again.
///
/// Why: suppose that after such a round some rank gets work. Take the first message that brings work to
/// a rank which the token has left in that round. If it was sent after the token had left its sender,
/// then that rank, which had no work, got some before: this message is not the first. So it was sent
/// before, and counts in the sum, where its receipt does not. Then another message counts as received
/// only: the token had left its sender, and not yet its receiver. But that receiver was black when the
/// token came, and the round has failed.
///
/// Messages between two ranks may overtake each other: the sum does not depend on their order. Requests
/// and refusals do not count: they give no rank work.
/// Source: E. W. Dijkstra, "Shmuel Safra's version of termination detection", EWD 998, 1987.
class termination {
 public:
  struct token {
    std::int64_t in_flight = 0;
    std::int64_t is_black = 1;  // the first round proves nothing
  };

  explicit termination(int rank) : is_first_{rank == 0}, has_token_{rank == 0} {}

  void sent_work() { ++in_flight_; }
  void received_work() {
    --in_flight_;
    is_black_ = true;
  }
  void received(const token& passed) {
    token_ = passed;
    has_token_ = true;
  }

  /// Call it without work: returns what to send to the next rank, if anything. Afterwards `is_over`
  /// may be true.
  std::optional<token> pass_on() {
    if (!has_token_) {
      return std::nullopt;
    }
    if (is_first_) {
      if (token_.is_black == 0 && !is_black_ && token_.in_flight + in_flight_ == 0) {
        is_over_ = true;
        return std::nullopt;
      }
      token_ = {0, 0};
    } else {
      token_.in_flight += in_flight_;
      token_.is_black |= is_black_ ? 1 : 0;
    }
    is_black_ = false;
    has_token_ = false;
    return token_;
  }

  /// Call it on rank 0: all have ended.
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  bool is_first_;
  bool has_token_;
  bool is_black_ = false;
  bool is_over_ = false;
  std::int64_t in_flight_ = 0;
  token token_{};
};

}  // namespace fg::inline FINEGRAIN_ABI::mpi::detail
