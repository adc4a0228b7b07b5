// How much of its stack a waiting worker may use for helping.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "finegrain/thread/this_thread.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Helping ends when a quarter of the stack is used: 2 MiB of the usual 8. The rest is for the one
/// task that may then run serially on top. Of 8 MiB the search of T3, 1,572 levels deep, uses 0.5
/// under private_deque and chase_lev and 0.9 under combining. The xqueue policies use 5.2 if
/// allowed, which gains nothing: with 1 MiB they took 0.80 to 1.00 of the time (2 vCPUs).
inline constexpr std::size_t kHelpShare = 4;

/// But not beyond this on any stack (`ulimit -s unlimited`): stack pages once used stay in memory.
inline constexpr std::size_t kMostHelpBytes = std::size_t{64} << 20U;

/// For a stack with unknown end: a fiber's or a signal handler's, or if the system does not report
/// it. A quarter of 64 KiB, the least that fiber libraries give. T3 takes 1.01 of the time with it.
inline constexpr std::size_t kUnknownHelpBytes = std::size_t{16} << 10U;

/// Bytes below `entrance`, on a thread whose stack is `stack`, within which a worker helps without
/// restriction; at most `most`, if that is not 0.
constexpr std::size_t help_room(const stack_bounds& stack, std::uintptr_t entrance,
                                std::size_t most) noexcept {
  std::size_t room = kUnknownHelpBytes;
  if (stack.contains(entrance)) {
    const std::size_t share = stack.size() / kHelpShare;
    const std::size_t in_all = share < kMostHelpBytes ? share : kMostHelpBytes;
    const std::size_t used = stack.end - entrance;
    room = used < in_all ? in_all - used : 0;
  }
  return most != 0 && most < room ? most : room;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
