// Runs the stages of a pipeline on the two threads of a relic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "finegrain/pipeline/stage_division.hpp"
#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A token passes the first stages on the main thread, and is then a task of the assistant, for the
/// others. So tokens stay in order, and each costs one hand-off.
///
/// ## Why stages are called as they may be
/// The two threads share nothing but that hand-off: the relic's queue, which keeps the order, and `get`
/// before a room is used again. Within a batch a stage that is not parallel is on one side of the border
/// for all tokens, so one thread calls it, in the order of the tokens. A parallel stage within the border
/// is called by both, each time for another token. A batch ends when all its tokens have left.
class relic_halves {
 public:
  /// The most rooms that are used.
  static constexpr std::size_t kMostRooms = 32;

  /// Runs a batch on both threads of the relic. Requires: it can share, and there are so many rooms.
  template <class Relic>
  static void run(Relic& runner, const stage_division& division, token_calls& calls,
                  std::size_t rooms) {
    std::array<decltype(runner.fork([]() noexcept {})), kMostRooms> seconds;
    stage_division::borders borders{division};
    for (std::size_t room = 0;; room = room + 1 == rooms ? 0 : room + 1) {
      if (seconds[room].valid()) {
        seconds[room].get();
      }
      const std::size_t border = borders.next();
      if (!call_first_half(runner, calls, room, border)) {
        break;
      }
      if (border != calls.stages()) {
        seconds[room] = runner.fork([&calls, room, border]() noexcept {
          call_stages(calls, room, border, calls.stages());
        });
      }
    }
  }  // waits for those that are under way

 private:
  // Where stages wait for the relic they run no tasks: they would find second halves on top of them.
  template <class Relic>
  static bool call_first_half(Relic& runner, token_calls& calls, std::size_t room,
                              std::size_t border) noexcept {
    [[maybe_unused]] const auto only_looks = relic_access::without_help(runner);
    if (!calls.make(room)) {
      return false;
    }
    call_stages(calls, room, 1, border);
    return true;
  }

  static void call_stages(token_calls& calls, std::size_t room, std::size_t first,
                          std::size_t last) noexcept {
    for (std::size_t stage = first; stage != last; ++stage) {
      calls.call(stage, room);
    }
  }
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
