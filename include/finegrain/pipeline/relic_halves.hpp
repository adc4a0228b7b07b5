// Divides the stages of a pipeline between the two threads of a relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The first stages are the main thread's, the others the assistant's, which gets each token as a task.
/// So tokens stay in order, and each costs one hand-off.
class relic_halves {
 public:
  /// The most rooms that are used.
  static constexpr std::size_t kMostRooms = 32;

  /// The first stage of the second half.
  [[nodiscard]] std::size_t begin_of_second() const noexcept { return begin_of_second_; }

  /// Puts the border where the longer half is shortest. `times`, by stage, at least two.
  void divide(std::span<const std::uint64_t> times) noexcept {
    const std::uint64_t total = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
    std::uint64_t before = 0;
    longest_ = total + 1;
    for (std::size_t border = 1; border != times.size(); ++border) {
      before += times[border - 1];
      const std::uint64_t longer = std::max(before, total - before);
      if (longer < longest_) {
        longest_ = longer;
        begin_of_second_ = border;
      }
    }
  }
  /// How long the longer half takes.
  [[nodiscard]] std::uint64_t longest() const noexcept { return longest_; }

  /// Runs a batch on both threads of the relic. Requires: it can share, and there are so many rooms.
  template <class Relic>
  void run(Relic& runner, token_calls& calls, std::size_t rooms) const {
    std::array<decltype(runner.fork([]() noexcept {})), kMostRooms> seconds;
    for (std::size_t room = 0;; room = room + 1 == rooms ? 0 : room + 1) {
      if (seconds[room].valid()) {
        seconds[room].get();
      }
      if (!call_first_half(runner, calls, room)) {
        break;
      }
      seconds[room] = runner.fork([this, &calls, room]() noexcept {
        call_stages(calls, room, begin_of_second_, calls.stages());
      });
    }
  }  // waits for those that are under way

 private:
  // Where stages wait for the relic they run no tasks: they would find second halves on top of them.
  template <class Relic>
  bool call_first_half(Relic& runner, token_calls& calls, std::size_t room) const noexcept {
    const relic_access::without_help<Relic> only_looks{runner};
    if (!calls.make(room)) {
      return false;
    }
    call_stages(calls, room, 1, begin_of_second_);
    return true;
  }

  static void call_stages(token_calls& calls, std::size_t room, std::size_t first,
                          std::size_t last) noexcept {
    for (std::size_t stage = first; stage != last; ++stage) {
      calls.call(stage, room);
    }
  }

  std::size_t begin_of_second_ = 1;
  std::uint64_t longest_ = 0;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
