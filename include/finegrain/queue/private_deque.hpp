// The queue of a worker that keeps its tasks to itself until somebody asks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg {

/// A deque whose owner pushes and pops at one end with plain loads and stores, no fence and no
/// read-modify-write, while thieves take from the other end of a part that the owner has made
/// public. Thieves that find that part empty ask for more, and do not wait for the answer.
///
/// The idea of the private deque with polled requests: Acar, Charguéraud, Rainey, "Scheduling
/// parallel programs by work stealing with private deques" (PPoPP 2013), and X-OpenMP section 4.2;
/// that of the split deque: Dinan et al., "Scalable work stealing" (SC 2009). Ours answers a
/// request not to the thief but to everybody, by moving the split: so an answer can neither be late
/// nor go to two thieves, and what was published stays stealable while the owner is busy.
///
/// ## State
/// A task has a position, counted from the first push on: slot = position modulo the ring's size.
///
///     top <= split <= head
///     [top, split)    public: thieves take from `top` on, the owner takes back from `split` down
///     [split, head)   private: the owner's alone
///
/// `public_` holds in one word the slot of top, the number of public tasks, and a version that
/// grows with every change, so that each change of the public part is one compare-exchange and no
/// value returns: 37 bits last for 20 minutes of a change each 10 ns, while one thief sleeps
/// between its load and its compare-exchange. `signal_` holds the split, or `kAttention`.
///
/// ## Protocol and races
/// * push, pop: the owner compares its position with `signal_`. One unsigned comparison says that
///   the slot is free (or the task private) *and* that nobody has asked: `kAttention` is so far
///   from every position that it fails both. What then follows is the slow path.
/// * publish (owner), only when nothing is public: a store. No thief changes the word then.
/// * steal: read `public_`, read the slots, compare-exchange (top + k, count - k). If it succeeds,
///   nothing has changed since the load: these tasks are the thief's, and the slots were theirs.
/// * take back (owner): compare-exchange (top, count - 1) for the task at split - 1.
/// * ask (thief): store `kAttention`. The owner's slow path exchanges the split back in before it
///   looks who sleeps; a request that arrives later is seen at the next push or pop. A request
///   that crosses with an answer costs one needless slow path.
///
/// ## Memory order
/// Publish releases, steal acquires: that orders the slots and the tasks behind them. Steal
/// releases too, and the owner's reads of `public_` in publish acquire: that orders a thief's
/// reading of a slot before the owner's writing to it one ring later. All slot accesses are
/// relaxed: a thief may read a slot that it then fails to take.
class private_deque {
 public:
  using position = std::uint64_t;

  /// Private tasks that fit, and public ones. A recursion holds one a level; the 64 KiB of the ring
  /// are touched only as far as they are used.
  static constexpr std::uint64_t kPart = 4096;

  private_deque() = default;
  private_deque(const private_deque&) = delete;
  private_deque& operator=(const private_deque&) = delete;

  // ---- owner only ----

  /// Where the next task would go.
  [[nodiscard]] position head() const noexcept { return head_; }

  /// Pushes `task` at `at`, which is `head()`, unless somebody has asked or the private part is
  /// full: then false, and nothing happened.
  bool push_at(position at, pool_task& task) noexcept {
    if (at - signal() >= kPart) [[unlikely]] {
      return false;
    }
    push_unasked(at, task);
    return true;
  }

  /// Pops the task at `at` if it is the newest one, private, and nobody has asked. Otherwise false,
  /// and nothing happened.
  bool pop_at(position at) noexcept {
    if (head_ != at + 1 || at - signal() >= kPart) [[unlikely]] {
      return false;
    }
    head_ = at;
    return true;
  }

  /// Pushes whether or not somebody has asked. False if the private part is full.
  bool push(pool_task& task) noexcept {
    if (head_ - split_ >= kPart) {
      return false;
    }
    push_unasked(head_, task);
    return true;
  }

  /// The newest task, also from the public part; null if there is none left. At least one of the
  /// others stays public if there are any.
  pool_task* pop() noexcept {
    if (head_ == split_ && !take_back()) {
      return nullptr;
    }
    --head_;
    return slot(head_).load(memory_order_relaxed);
  }

  /// True when a thief has asked since `answer`, or the owner has to look for another reason.
  [[nodiscard]] bool was_asked() const noexcept { return signal() != split_; }

  /// Makes public what somebody asked for: half of the private tasks, at least one, if nothing is
  /// public. True if there are public tasks afterwards. Ends the request: a sequentially consistent
  /// exchange, see `ask`.
  bool answer() noexcept {
    const std::uint64_t owned = head_ - split_;
    std::uint64_t word = public_.load(memory_order_acquire);  // pairs with the release in steal
    if (count_of(word) == 0 && owned > 0) {
      const std::uint64_t more = (owned + 1) / 2;
      word = next_word(word, split_, more);
      public_.store(word, memory_order_release);  // pairs with the acquire in steal
      split_ += more;
    }
    const bool has_public = count_of(word) != 0;
    // Without anything public the next push has to come here again, so that it publishes.
    signal_.exchange(has_public || !has_thieves_ ? split_ : kAttention, memory_order_seq_cst);
    return has_public;
  }

  /// Refuses every `push_at` and `pop_at` from now on until `answer`.
  void demand_attention() noexcept { signal_.store(kAttention, memory_order_relaxed); }

  /// Whether anybody may steal. Without thieves nothing needs to be public. Before the first push.
  void set_has_thieves(bool has_thieves) noexcept {
    has_thieves_ = has_thieves;
    signal_.store(has_thieves ? kAttention : split_, memory_order_relaxed);
  }

  // ---- any thread ----

  /// True when something can be stolen now, or could a moment ago.
  [[nodiscard]] bool has_public_guess() const noexcept {
    return count_of(public_.load(memory_order_acquire)) != 0;
  }

  /// Steals half of the public tasks, the oldest, at most `stolen.size()`; returns how many, in
  /// order of age. 0 also when another thief was faster.
  std::size_t steal(std::span<pool_task*> stolen) noexcept {
    std::uint64_t word = public_.load(memory_order_acquire);  // pairs with the release in answer
    const std::uint64_t count = count_of(word);
    if (count == 0) {
      return 0;
    }
    const std::size_t taken = std::min<std::size_t>((count + 1) / 2, stolen.size());
    for (std::size_t i = 0; i < taken; ++i) {
      stolen[i] = slot(top_of(word) + i).load(memory_order_relaxed);
    }
    // Release: the owner must not overwrite these slots before they were read.
    const bool won =
        public_.compare_exchange_strong(word, next_word(word, top_of(word) + taken, count - taken),
                                        memory_order_acq_rel, memory_order_relaxed);
    if (!won) {
      return 0;
    }
    if (taken == count) {
      ask();  // the owner may be about to run something long: the next thief shall find something
    }
    return taken;
  }

  /// Asks the owner to make tasks public at its next push or pop.
  ///
  /// Sequentially consistent together with `answer`'s exchange: a thief that first enters itself
  /// among the sleepers and then asks is either answered, or, where `answer` overwrote its request,
  /// seen by the owner who looks for sleepers after `answer`.
  void ask() noexcept {
    if (signal_.load(memory_order_relaxed) != kAttention) {
      signal_.store(kAttention, memory_order_seq_cst);
    }
  }

 private:
  static constexpr unsigned kCountBits = 14;
  static constexpr unsigned kTopBits = 13;
  static constexpr std::uint64_t kSlots = 2 * kPart;
  static_assert(kPart < (1U << kCountBits) && kSlots == (1U << kTopBits));
  static constexpr std::uint64_t kAttention = std::uint64_t{1} << 63;

  static constexpr std::uint64_t count_of(std::uint64_t word) noexcept {
    return word & ((std::uint64_t{1} << kCountBits) - 1);
  }
  static constexpr std::uint64_t top_of(std::uint64_t word) noexcept {
    return (word >> kCountBits) & (kSlots - 1);
  }
  // The word that follows `before`.
  static constexpr std::uint64_t next_word(std::uint64_t before, std::uint64_t top,
                                           std::uint64_t count) noexcept {
    constexpr std::uint64_t kVersion = std::uint64_t{1} << (kCountBits + kTopBits);
    return (before & ~(kVersion - 1)) + kVersion + (top % kSlots << kCountBits) + count;
  }

  atomic<pool_task*>& slot(position at) noexcept { return ring_[at % kSlots]; }

  // Relaxed: it carries no data. A thief's request that is seen late is answered late.
  [[nodiscard]] std::uint64_t signal() const noexcept { return signal_.load(memory_order_relaxed); }

  void push_unasked(position at, pool_task& task) noexcept {
    slot(at).store(&task, memory_order_relaxed);
    head_ = at + 1;
  }

  // Makes the newest public task private. False if there was none left.
  bool take_back() noexcept {
    std::uint64_t word = public_.load(memory_order_relaxed);  // the owner's own tasks: no data
    for (std::uint64_t count = count_of(word); count != 0; count = count_of(word)) {
      if (public_.compare_exchange_weak(word, next_word(word, top_of(word), count - 1),
                                        memory_order_relaxed)) {
        --split_;
        // With the last public task gone the next push has to publish. And a request that came
        // meanwhile must not be lost: the thief may be about to sleep.
        const bool publish_next = count == 1 && has_thieves_;
        if (signal_.exchange(publish_next ? kAttention : split_, memory_order_relaxed) ==
            kAttention) {
          demand_attention();
        }
        return true;
      }
    }
    return false;
  }

  alignas(kCacheLineBytes) position head_ = 0;
  position split_ = 0;
  bool has_thieves_ = false;
  alignas(kCacheLineBytes) atomic<std::uint64_t> signal_{0};
  alignas(kCacheLineBytes) atomic<std::uint64_t> public_{0};
  alignas(kCacheLineBytes) std::array<atomic<pool_task*>, kSlots> ring_;
};

}  // namespace fg
