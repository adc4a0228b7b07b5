// What one thread of a region has of a loop that is handed out at run time; the others steal from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::omp::runtime {

/// Half-open range of the units that a loop is divided into.
struct loop_units {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool empty() const noexcept { return begin >= end; }
  bool operator==(const loop_units&) const = default;
};

/// The loops that the threads of a region share in this way are numbered, the same on each thread,
/// modulo 2^16. Each thread has one share, for one loop after another, on a line of its own: it
/// begins with an equal part of the loop, from which it takes at the front. A thread whose share is
/// empty steals the back half of another one's. Where the threads are equally fast a line moves
/// only at the end of a loop, and not for each chunk.
///
/// Nothing prepares a share for a loop and nothing cleans it: its word says which loop it is of, and
/// its first part of the next one is computed. So threads may be loops ahead of each other (nowait),
/// and steal what a thread has of a loop that it has not come to yet.
///
/// ## States of the word, (loop, units that nobody has)
///
///     (n, some)   available to the threads that are in loop n
///     (n, none)   as if it were (n + 1, the first part of it), to all but its owner until that has
///                 left loop n
///
/// ## Steps, each one exchange
///
///     enter   owner   (older, any) -> (n, first part)
///     take    owner   (n, units) -> (n, all but those at the front)
///     steal   others  (n, some) or (n - 1, none), seen as above -> (n, the front half)
///     refill  owner   (n, none) -> (n, what it has stolen but the first unit)
///
/// ## Each unit exactly once
/// What a step removes from a word is what it gives to a thread. A thief whose own word has gone on
/// to another loop when it would refill keeps what it has. The first part of loop n + 1 appears in
/// place of (n, none) once, since the word never returns to a loop; the owner enters no loop whose
/// share others have begun, nor one that the word has passed: a word passes a loop only when nothing
/// of it is left there.
///
/// ## The same value twice
/// An exchange could take a word for an older one with the same value. Within a loop that does no
/// harm: the value is all there is to know. Numbers of loops repeat after 2^16 of them; every loop
/// that a thread enters leaves its mark on its word, and `kMostAhead` bounds how far threads may be
/// apart. Who has not been in a region for long is brought up to date by `reset`.
///
/// ## Memory order
/// All relaxed: units are numbers, and a worksharing construct orders nothing but by its barrier.
/// Those of one word are in one order, which is all that is needed.
class alignas(kCacheLineBytes) loop_share {
 public:
  using loop_number = std::uint16_t;

  /// The largest number of units.
  static constexpr std::uint32_t kMostUnits = (1U << 24) - 1;
  /// Loops that a thread may be ahead of another one: the caller sees to it.
  static constexpr std::uint32_t kMostAhead = 1U << 14;

  /// Forgets all, `before` being the loop before the next one. Requires: no thread accesses it.
  void reset(loop_number before) noexcept { word_.store(pack(before, {}), memory_order_relaxed); }

  /// Enters loop `loop`, unless others have begun it. `first`: the owner's first part. Owner.
  void enter(loop_number loop, loop_units first) noexcept {
    std::uint64_t seen = word_.load(memory_order_relaxed);
    while (static_cast<std::int16_t>(static_cast<loop_number>(loop_of(seen) - loop)) < 0 &&
           !word_.compare_exchange_weak(seen, pack(loop, first), memory_order_relaxed)) {
    }
  }

  /// Takes the first unit; empty if there is none. Owner, which has entered the loop.
  loop_units take(loop_number loop) noexcept {
    std::uint64_t seen = word_.load(memory_order_relaxed);
    for (;;) {
      const loop_units own = units_of(seen);
      if (loop_of(seen) != loop || own.empty()) {
        return {};
      }
      if (word_.compare_exchange_weak(seen, pack(loop, {own.begin + 1, own.end}),
                                      memory_order_relaxed)) {
        return {own.begin, own.begin + 1};
      }
    }
  }

  /// Takes the back half of what is there, rounded up; empty if there is nothing for threads that
  /// are in this loop. `first`: the owner's first part. Other threads.
  loop_units steal(loop_number loop, loop_units first) noexcept {
    std::uint64_t seen = word_.load(memory_order_relaxed);
    for (;;) {
      loop_units theirs = units_of(seen);
      if (theirs.empty() && loop_of(seen) == static_cast<loop_number>(loop - 1)) {
        theirs = first;
      } else if (loop_of(seen) != loop) {
        return {};
      }
      if (theirs.empty()) {
        return {};
      }
      const std::uint32_t middle = theirs.begin + (theirs.end - theirs.begin) / 2;
      if (word_.compare_exchange_weak(seen, pack(loop, {theirs.begin, middle}),
                                      memory_order_relaxed)) {
        return {middle, theirs.end};
      }
    }
  }

  /// Makes stolen units available to others; returns whether it does. Owner, whose share is empty.
  bool refill(loop_number loop, loop_units stolen) noexcept {
    std::uint64_t seen = word_.load(memory_order_relaxed);
    return loop_of(seen) == loop &&
           word_.compare_exchange_strong(seen, pack(loop, stolen), memory_order_relaxed);
  }

 private:
  static constexpr unsigned kBits = 24;

  static constexpr std::uint64_t pack(loop_number loop, loop_units units) noexcept {
    return std::uint64_t{loop} << (2 * kBits) | std::uint64_t{units.begin} << kBits | units.end;
  }
  static constexpr loop_number loop_of(std::uint64_t word) noexcept {
    return static_cast<loop_number>(word >> (2 * kBits));
  }
  static constexpr loop_units units_of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> kBits & kMostUnits),
            static_cast<std::uint32_t>(word & kMostUnits)};
  }

  atomic<std::uint64_t> word_{0};
};

/// The next units for thread `own` of `size`, which has entered the loop: of its own share, else of
/// those of the threads after it, one after the other. Empty if it has found nothing in any: then it
/// leaves the loop, though a thief may still have some in its hand. `first_of(i)`: the first part of
/// thread `i`. A unit is run by whoever it is returned to, so none is lost.
template <class FirstOf>
loop_units take_or_steal(loop_share* shares, loop_share::loop_number loop, std::uint32_t own,
                         std::uint32_t size, FirstOf first_of) noexcept {
  loop_units taken = shares[own].take(loop);
  for (std::uint32_t i = 1; taken.empty() && i < size; ++i) {
    const std::uint32_t victim = own + i < size ? own + i : own + i - size;
    taken = shares[victim].steal(loop, first_of(victim));
    if (taken.begin + 1 < taken.end && shares[own].refill(loop, {taken.begin + 1, taken.end})) {
      taken.end = taken.begin + 1;
    }
  }
  return taken;
}

}  // namespace fg::omp::runtime
