// The chunks of a loop, shared by two threads that steal from each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The thread that takes: the one that opened the range, or the one that helps it.
enum class range_side : std::uint8_t { main, assistant };

/// The numbers of chunks that have not begun, shared by two threads: each takes from the front of
/// its own part, and a thread whose part is empty steals the back half of what the other has left.
///
/// An object serves many loops, so that its lines need not travel before a loop begins: it is empty
/// between two of them, and `open` may come *after* the helper was told to start. The helper has a
/// chunk of its own to begin with, which hides the time.
///
/// ## States
/// A part is one word on a line of its own, the chunks [front, back) in 32 + 32 bits:
///
///     front < back      these chunks are available
///     front == back     empty
///     closed            all ones, so empty as well: the loop is given up
///
/// ## Steps, each one atomic access
///
///     open    main        first the assistant's word, then its own, by stores
///     take    its owner   front -> front + 1
///     steal   the other   [front, back) -> [front, middle), from a word that is not empty,
///                         while its own word is empty; it begins chunk `middle` at once
///     refill  the thief   its own word: empty -> [middle + 1, back)
///     close   main        both words, by stores
///     reset   main        both words, when the other thread has left
///
/// ## Each chunk exactly once
/// The words and the chunks in hand (begun, or between steal and refill) are disjoint at any time,
/// because take and steal are compare-exchanges that remove from a word exactly what they put into
/// a hand, and open and refill only overwrite empty words:
///
/// * *refill*: other than by removing, only its owner and main's `open` and `close` change a word,
///   so an empty word stays as it was seen unless it is opened or closed. If it was closed, the
///   exchange fails and the stolen chunks are dropped, as they should be. It cannot have been
///   opened, by the next point.
/// * *open against refill*: the assistant steals only from main's word, and finds it not empty only
///   after main's second store. That store is a release and the thief's load an acquire, so the
///   first store, to the thief's word, came before the thief looked at its own word again.
/// * *The same value twice*: a compare-exchange could mistake a word that has changed and changed
///   back. But when a word changes from [front, back), either chunk `front` was taken, which never
///   comes back, or the back went to the other thread. That is the thread that steals, so no change
///   by the owner can bring it back for a thief; and an owner whose chunks were stolen gets more
///   only by its own refill.
///
/// ## Nothing is left behind
/// A thread leaves when it sees its own word empty and then the other's. If the assistant leaves
/// before it sees `open`, it leaves all chunks to main. Main leaves after its own `open`; what the
/// assistant then holds in its hand it refills and takes itself. So when main has left and waited
/// for the assistant to leave, both words are empty, or closed.
///
/// ## Memory order
/// What main wrote before the loop reaches the assistant by the task's publication, and what the
/// assistant wrote comes back by its completion. The words carry chunk numbers and, on the
/// assistant's line, how long the chunks are. So `open`'s stores are releases, and the loads after
/// which the assistant takes or steals are acquires. Any other change of a word to one that is not
/// empty is an exchange on top of `open`'s store, so it continues that store's release sequence: a
/// thread that loads a word with acquire and finds chunks is ordered after `open`. Everything else
/// is relaxed: the exchanges publish nothing but numbers.
///
/// Every call is a constant number of steps, apart from lost races, which the other thread has won;
/// no call blocks or allocates. In total there are at most as many steals as chunks.
class shared_range {
 public:
  /// The largest number of chunks.
  static constexpr std::uint32_t kMostChunks = 0xffff'fffe;

  /// Chunks [begin, end).
  struct part {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  /// Chunk `c` is iterations [c * length, min((c + 1) * length, iterations)).
  struct chunk_lengths {
    std::uint64_t length = 0;
    std::uint64_t iterations = 0;
  };

  constexpr shared_range() = default;
  shared_range(const shared_range&) = delete;
  shared_range& operator=(const shared_range&) = delete;

  // ---- main ----

  /// Adds first chunks for main and the assistant, and tells the assistant their `lengths`.
  /// Requires: none is left from the last loop; begin <= end <= kMostChunks; parts do not overlap.
  void open(part mains, part assistants, chunk_lengths lengths) noexcept {
    lengths_ = lengths;
    // Release: pairs with the acquire in take_own.
    word_of(range_side::assistant).store(pack(assistants), memory_order_release);
    // Release: pairs with the acquire in steal.
    word_of(range_side::main).store(pack(mains), memory_order_release);
  }

  /// From now on no chunk is available. Requires: an `open`.
  void close() noexcept {
    // Both relaxed: there is no data behind them; the assistant sees them when it does.
    word_of(range_side::main).store(kClosed, memory_order_relaxed);
    word_of(range_side::assistant).store(kClosed, memory_order_relaxed);
  }

  /// Forgets the rest. Requires: the other thread has left the loop; main is ordered after that.
  void reset() noexcept {
    // Both relaxed: the next `open` releases them with its own stores.
    word_of(range_side::main).store(kEmpty, memory_order_relaxed);
    word_of(range_side::assistant).store(kEmpty, memory_order_relaxed);
  }

  // ---- each thread for its own side ----

  /// The next chunk for the calling thread, its own or a stolen one; empty if there is none. A
  /// thread that got none leaves the loop.
  [[nodiscard]] std::optional<std::uint32_t> take(range_side side) noexcept {
    for (;;) {
      if (const auto chunk = take_own(word_of(side))) {
        return chunk;
      }
      bool lost_race = false;
      const auto chunk = steal(word_of(side), word_of(opposite(side)), lost_race);
      if (!lost_race) {
        return chunk;
      }
    }
  }

  // ---- assistant ----

  /// The lengths passed to `open`. Requires: a chunk was taken.
  [[nodiscard]] chunk_lengths lengths() const noexcept { return lengths_; }

 private:
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  static constexpr std::uint64_t pack(part chunks) noexcept {
    return std::uint64_t{chunks.end} << 32 | chunks.begin;
  }
  static constexpr part unpack(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
  static constexpr bool is_empty(part chunks) noexcept { return chunks.begin >= chunks.end; }
  static constexpr range_side opposite(range_side side) noexcept {
    return side == range_side::main ? range_side::assistant : range_side::main;
  }

  atomic<std::uint64_t>& word_of(range_side side) noexcept {
    return side == range_side::main ? mains_ : assistants_;
  }

  static std::optional<std::uint32_t> take_own(atomic<std::uint64_t>& own) noexcept {
    // Acquire: pairs with the release in open.
    std::uint64_t seen = own.load(memory_order_acquire);
    for (part mine = unpack(seen); !is_empty(mine); mine = unpack(seen)) {
      // Relaxed, taken or not: the load found chunks, so this is ordered after `open` already.
      if (own.compare_exchange_weak(seen, pack({mine.begin + 1, mine.end}), memory_order_relaxed)) {
        return mine.begin;
      }
    }
    return {};
  }

  // `lost_race`: what was seen has changed, so nothing is known.
  static std::optional<std::uint32_t> steal(atomic<std::uint64_t>& own,
                                            atomic<std::uint64_t>& other,
                                            bool& lost_race) noexcept {
    // Acquire: pairs with the release in open.
    std::uint64_t theirs_seen = other.load(memory_order_acquire);
    const part theirs = unpack(theirs_seen);
    if (is_empty(theirs)) {
      return {};
    }
    // Relaxed: chunks were found, so `open`'s store to this word has just been acquired.
    std::uint64_t own_seen = own.load(memory_order_relaxed);
    const std::uint32_t middle = theirs.begin + (theirs.end - theirs.begin) / 2;
    // Relaxed: ordered after `open` already, and it publishes nothing.
    if (!is_empty(unpack(own_seen)) ||
        !other.compare_exchange_strong(theirs_seen, pack({theirs.begin, middle}),
                                       memory_order_relaxed)) {
      lost_race = true;
      return {};
    }
    // Relaxed: continues the release sequence of `open`'s store.
    if (middle + 1 < theirs.end &&
        !own.compare_exchange_strong(own_seen, pack({middle + 1, theirs.end}),
                                     memory_order_relaxed)) {
      return {};  // closed
    }
    return middle;
  }

  alignas(kCacheLineBytes) atomic<std::uint64_t> mains_{kEmpty};
  alignas(kCacheLineBytes) atomic<std::uint64_t> assistants_{kEmpty};
  chunk_lengths lengths_;  // next to the word, so that they come with it
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
