// A deque whose owner keeps its tasks private until a thief asks for some.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/task/pool_task.hpp"
#include "finegrain/wait/biased_lock.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A deque whose owner pushes and pops at one end with plain loads and stores, no fence and no
/// read-modify-write, while thieves take from the other end of a part that the owner has made
/// public. Thieves that find that part empty ask for more, and do not wait for the answer.
///
/// Private deques with polled requests: Acar, Charguéraud, Rainey, "Scheduling parallel programs by
/// work stealing with private deques" (PPoPP 2013), and X-OpenMP section 4.2; the split deque:
/// Dinan et al., "Scalable work stealing" (SC 2009). Ours answers a request not to the thief but to
/// all threads, by moving the split. So an answer can neither come too late nor go to two thieves,
/// and what was published stays stealable while the owner is busy.
///
/// ## State
/// The private part is a list through the tasks, newest first: the address of a task is known
/// before its predecessor's has been loaded, so a push does not wait for the preceding push or pop,
/// as it would for a position in an array (3.0 against 2.8 to 2.9 ns per fork, EPYC 9004). The
/// public part is a ring of slots, which the owner fills with the oldest private tasks.
///
/// `public_` holds in one word the slot of the oldest public task (top), the number of public
/// tasks, and a version that grows with every change, so that each change is one compare-exchange
/// and no value recurs: 37 bits (of a ring of 2^13 slots) last for 20 minutes of one change per 10
/// ns, while one thief sleeps between its load and its compare-exchange. `split_`, the slot after
/// the newest public task, is the owner's. `asked_` is set by thieves, and by the owner if it has
/// to publish at its next push.
///
/// ## Protocol and races
/// * push, pop, fast path: only while no thread has asked. Otherwise the slow path, with `answer`.
/// * answer (owner): fills slots and publishes them by a store, only when nothing is public. No
///   thief changes the word then.
/// * steal: read `public_`, read the slots, compare-exchange (top + k, count - k). If it succeeds,
///   nothing has changed since the load: the slots held these tasks, and they are now the thief's.
/// * take back (owner): compare-exchange (top, count - 1) for the newest public task.
/// * ask (thief): a store. The owner's answer clears it by an exchange before it looks for
///   sleepers; a request that arrives later is seen at the next push or pop. One that crosses with
///   an answer costs a needless slow path.
/// * push and look (owner with deputies): P1 link, P2 light fence, P3 asked? then answer. A thread
///   that goes to sleep: S1 register as a sleeper, S2 ask, S3 heavy fence, S4 last look. S4 sees
///   P1, or P3 sees S2 (asymmetric_fence.hpp), unless an answer came between S2 and P3: its
///   exchange follows S2, and so S1, and the thread that answers looks for sleepers after it and
///   then demands attention again. So as long as any thread sleeps, every push looks for threads to
///   wake. S1, S2, the exchange and that look are all sequentially consistent: if another request
///   came between S2 and the exchange, nothing that the exchange reads makes S1 happen before that
///   look, and only the one order of all of them puts it there.
///
/// ## Regions
/// A region is the tasks of one part of the program, which waits for nothing else
/// (task/pool_task.hpp). All private tasks are of one region, the owner's, and all public ones of
/// one: so a number for each is enough, and a push does not write it. The owner may put its private
/// tasks aside for a while and begin with none in another region (`begin_region`); tasks put aside
/// can still be published if nothing else can. A thief that wants a certain region reads the public
/// one between its load of `public_` and its compare-exchange. It changes only while nothing is
/// public, so if the exchange succeeds what was read is right. One exception: tasks of a region
/// that ends, if still public, become the outer one's, and a thief gets them as of either.
///
/// ## Reserved tasks
/// Where all tasks are much shorter than a steal, a thief costs the owner more time than it saves.
/// So the owner can reserve its tasks (`begin_reserving`): what it then publishes, thieves leave to
/// it for `kReservedFor`. A short group ends undisturbed, and if the owner is busy for longer, or
/// even waits for a public one of these tasks to be run elsewhere, thieves take them, only later.
/// The request stays set meanwhile: so the push of a task that is not short takes the slow path,
/// which calls `end_reserving`. That makes pushes slower, so an owner reserves only if a thief has
/// asked in the last 10 us: thieves also ask if all they find is reserved.
///
/// `reserved_until_` is written before the word that publishes and read after it, so a thief that
/// sees the word sees the time or a later one. If it sees a later one, or an end of the reservation
/// late, it steals too late or too early, which is allowed at any time.
///
/// ## Memory order
/// Answer releases, steal's load acquires: this orders the slots and the tasks behind them. Steal's
/// exchange releases, and the owner's read of `public_` before it publishes acquires: this orders a
/// thief's read of a slot before the owner's write to it one ring later. All slot accesses are
/// relaxed: a thief may read a slot that it then fails to take.
///
/// ## Busy owners
/// With `biased_lock` in place of `no_lock`, the owner enters it for every operation, and a thief
/// whose request was not answered may enter as its deputy and publish for it. So every task can be
/// reached while its owner runs something long. It costs the owner two stores and a load each time.
template <class OwnerLock, unsigned SlotBits>
class basic_private_deque {
 public:
  /// Whether other threads may act for the owner.
  static constexpr bool kHasDeputies = !std::is_same_v<OwnerLock, no_lock>;

  basic_private_deque() = default;
  basic_private_deque(const basic_private_deque&) = delete;
  basic_private_deque& operator=(const basic_private_deque&) = delete;

  // ---- owner only ----

  /// Pushes `task`. False, with nothing changed: a thread has asked, or a deputy is inside.
  bool push_unless_asked(pool_task& task) noexcept {
    if (was_asked() || !lock_.try_enter()) [[unlikely]] {
      return false;
    }
    link(task);
    lock_.leave();
    return true;
  }

  /// The owner's private tasks while they are put aside; lives where `begin_region` was called.
  struct put_aside {
    pool_task* newest;
    region_id region;
    put_aside* outer;
  };

  /// The region of pushed tasks.
  [[nodiscard]] region_id region() const noexcept { return region_; }
  /// Changes it. Requires: the deque is empty.
  void set_region(region_id region) noexcept { region_ = region; }

  /// From now on pushed tasks are of `region`, and `pop` returns none that was pushed before;
  /// thieves may still get them. `aside` lives until `end_region`. Not with deputies.
  void begin_region(put_aside& aside, region_id region) noexcept {
    end_reserving();
    aside = {.newest = newest(), .region = region_, .outer = aside_};
    aside_ = &aside;
    newest_.store(nullptr, memory_order_relaxed);  // the owner's own, as all its stores there
    region_ = region;
  }

  /// Returns to the region before; the tasks left here become part of it. Linear in their number.
  void end_region(put_aside& aside) noexcept {
    end_reserving();
    if (public_region_.load(memory_order_relaxed) == region_) {  // its own
      public_region_.store(aside.region, memory_order_relaxed);  // see Regions
    }
    link_below(aside.newest);
    region_ = aside.region;
    aside_ = aside.outer;
  }

  /// The result of `push_and_look`.
  enum class push_result : std::uint8_t {
    pushed,
    pushed_and_asked,  ///< the owner has to `answer`
    refused            ///< a deputy is inside, or there is no membarrier; nothing changed
  };

  /// Pushes `task`, then checks whether a thread has asked: one that has called `announce_sleep` is
  /// either seen, or will see the task. For owners with deputies, who may wait for this task next.
  push_result push_and_look(pool_task& task) noexcept {
    if (!lock_.try_enter_without_fence()) [[unlikely]] {
      return push_result::refused;
    }
    link(task);
    lock_.leave();
    asymmetric_fence::light_fence();  // pairs with the heavy one after announce_sleep
    return was_asked() ? push_result::pushed_and_asked : push_result::pushed;
  }

  /// Pops `task` if it is the newest, private, and nobody has asked. Else false, nothing changed.
  bool pop_unless_asked(const pool_task& task) noexcept {
    if (newest() != &task || was_asked() || !lock_.try_enter()) [[unlikely]] {
      return false;
    }
    // A deputy may have published it since the check.
    const bool is_newest = !kHasDeputies || newest() == &task;
    if (is_newest) {
      newest_.store(task.older, memory_order_relaxed);  // the owner's own, as all its stores there
    }
    lock_.leave();
    return is_newest;
  }

  /// Pops the newest task if it is private and no thread has asked; else null, and nothing changed.
  pool_task* pop_newest_unless_asked() noexcept {
    if (was_asked() || !lock_.try_enter()) [[unlikely]] {
      return nullptr;
    }
    pool_task* const task = newest();
    if (task != nullptr) {
      newest_.store(task->older, memory_order_relaxed);  // as above
    }
    lock_.leave();
    return task;
  }

  /// Pushes whether or not a thread has asked.
  void push(pool_task& task) noexcept {
    lock_.enter();
    link(task);
    lock_.leave();
  }

  /// Pushes `task` if the owner is reserving and something is public: no slow path is due then.
  /// Otherwise false, and nothing has changed. Not with deputies.
  bool push_if_reserved(pool_task& task) noexcept {
    if (!has_reserved()) [[unlikely]] {
      return false;
    }
    link(task);
    return true;
  }

  /// Whether the owner is reserving, and something is public.
  [[nodiscard]] bool has_reserved() const noexcept { return is_reserving_ && has_public_guess(); }

  /// From now on `answer` reserves what it makes public. False, and nothing has changed: no thief has
  /// asked lately, or the owner has tasks already that it did not reserve. Not with deputies.
  bool begin_reserving() noexcept {
    if (!(is_reserving_ || is_empty_in_region()) || !has_thief_asked_lately()) {
      return false;
    }
    is_reserving_ = true;
    return true;
  }

  /// Thieves may take all that is public at once.
  void end_reserving() noexcept {
    if (is_reserving_) {  // never written with deputies, which read it
      is_reserving_ = false;
      reserved_until_.store(0, memory_order_relaxed);  // a hint, see Reserved tasks
    }
  }

  /// Pops the newest task, if necessary from the public part; null if there is none left.
  pool_task* pop() noexcept {
    lock_.enter();
    pool_task* task = newest();
    if (task == nullptr) {
      task = take_back();
    } else {
      newest_.store(task->older, memory_order_relaxed);  // the owner's own
    }
    lock_.leave();
    return task;
  }

  /// Pops the newest task, or one of another region than the owner's, which `pop` leaves where it
  /// is; null if there is none. Not with deputies.
  pool_task* pop_of_any_region() noexcept {
    end_reserving();
    if (pool_task* const own = pop()) {
      return own;
    }
    std::array<pool_task*, 1> public_one{};
    while (has_public_guess()) {
      if (steal(public_one) != 0) {
        return public_one[0];
      }
    }
    for (put_aside* each = aside_; each != nullptr; each = each->outer) {
      if (each->newest != nullptr) {
        return std::exchange(each->newest, each->newest->older);
      }
    }
    return nullptr;
  }

  /// Whether the owner has no task, except perhaps of outer regions.
  [[nodiscard]] bool is_empty_in_region() const noexcept {
    return newest() == nullptr && !has_public_guess();
  }

  /// Whether the owner has a task, of any region.
  [[nodiscard]] bool has_task() const noexcept {
    bool any_aside = false;
    for (const put_aside* each = aside_; each != nullptr; each = each->outer) {
      any_aside = any_aside || each->newest != nullptr;
    }
    return !is_empty_in_region() || any_aside;
  }

  /// True if a thief has asked since `answer`, or the owner has to publish its next task.
  [[nodiscard]] bool was_asked() const noexcept {
    // Relaxed: it carries no data. A request that is seen late is answered late.
    return asked_.load(memory_order_relaxed) != 0;
  }

  /// True if it was a thief, as far as the owner knows.
  [[nodiscard]] bool was_asked_by_thief() const noexcept {
    return asked_.load(memory_order_relaxed) == kByThief;  // as above
  }

  /// Whether `answer` is due: a thread has asked. Not while thieves find something reserved, or while
  /// the owner is reserving and has nothing to publish.
  [[nodiscard]] bool has_to_answer() const noexcept {
    return was_asked() &&
           (!is_reserving_ || (!has_public_guess() && (newest() != nullptr || aside_ != nullptr)));
  }

  /// If nothing is public, makes the older half of the private tasks public, at least one if there
  /// is one. True if there are public tasks afterwards. Linear in the private tasks. Ends the
  /// request, unless the owner is reserving, by a sequentially consistent exchange, see `ask`.
  bool answer() noexcept {
    lock_.enter();
    if (!has_public_guess()) {
      publish_oldest();
    }
    lock_.leave();
    const bool has_public = has_public_guess();
    // If nothing is public, the next push must take the slow path again, to publish. In one order
    // with the store in `announce_sleep`.
    asked_.exchange(is_reserving_ || (has_thieves_ && !has_public) ? own_request() : 0,
                    memory_order_seq_cst);
    return has_public;
  }

  /// Refuses every push and pop on the fast path from now on until `answer`.
  void demand_attention() noexcept { demand(own_request()); }

  /// The same where no thief waits.
  void refuse_fast_path() noexcept { demand(kByOwner); }

  /// Whether a thief has reported that reserved tasks were long, since the last call.
  bool were_reserved_long() noexcept {
    // Relaxed, both: a hint.
    return reserved_were_long_.load(memory_order_relaxed) &&
           reserved_were_long_.exchange(false, memory_order_relaxed);
  }

  /// Allocates the ring of the public part, 8 bytes per slot. `has_thieves`: whether other threads
  /// may steal; without thieves nothing needs to be public. Before the first push, and before
  /// another thread knows the deque. Throws std::bad_alloc.
  void open(bool has_thieves) {
    ring_ = std::make_unique<slots>();
    has_thieves_ = has_thieves;
    asked_.store(has_thieves ? kByThief : 0, memory_order_relaxed);  // no worker has started
  }

  // ---- any thread ----

  /// True if something can be stolen now, or could be a moment ago.
  [[nodiscard]] bool has_public_guess() const noexcept {
    // Relaxed: a guess; a thread that then takes a task looks with acquire, in `steal`. For the
    // owner or its deputy it is exact: between their stores, which the lock orders, it only falls.
    return count_of(public_.load(memory_order_relaxed)) != 0;
  }

  /// True if there are private tasks, or were a moment ago.
  [[nodiscard]] bool has_private_guess() const noexcept {
    return newest_.load(memory_order_relaxed) != nullptr;  // a guess, which orders nothing
  }

  /// Publishes half of the private tasks for an owner that does not answer. True if something is
  /// public then. A system call. Not with `no_lock`.
  bool publish_as_deputy() noexcept {
    if (!lock_.try_enter_as_deputy()) {
      return false;
    }
    if (!has_public_guess() && newest() != nullptr) {
      publish_oldest();
    }
    lock_.leave_as_deputy();
    return has_public_guess();
  }

  /// Whether thieves have to leave the public tasks to the owner now.
  [[nodiscard]] bool is_reserved_guess() const noexcept {
    // Relaxed: a hint, see Reserved tasks.
    const std::uint64_t until = reserved_until_.load(memory_order_relaxed);
    return until != 0 && until - ticks() <= to_ticks(kReservedFor);  // also if the clock jumps
  }
  /// Whether the owner is reserving.
  [[nodiscard]] bool is_reserving_guess() const noexcept {
    return reserved_until_.load(memory_order_relaxed) != 0;  // as above
  }

  /// From a thief: tasks that it has taken though the owner was reserving were long.
  void report_long() noexcept { reserved_were_long_.store(true, memory_order_relaxed); }  // a hint

  /// The region of the public tasks, or of the last ones.
  [[nodiscard]] region_id public_region_guess() const noexcept {
    return public_region_.load(memory_order_relaxed);  // in `steal` confirmed by the exchange
  }

  /// Steals half of the public tasks, the oldest, into an array or vector of pointers, at most
  /// `stolen.size()`, if they are of `region`, or if that is `kAnyRegion`, which then becomes theirs.
  /// Returns how many, in order of age. Also 0 if another thief was faster, or if they are reserved.
  template <class Tasks>
  std::size_t steal(Tasks& stolen, region_id& region) noexcept {
    std::uint64_t word = public_.load(memory_order_acquire);  // pairs with the release in answer
    const std::uint64_t count = count_of(word);
    const region_id found = public_region_guess();
    if (count == 0 || (region != kAnyRegion && region != found) || is_reserved_guess()) {
      return 0;
    }
    const auto taken =
        static_cast<std::size_t>(std::min<std::uint64_t>((count + 1) / 2, stolen.size()));
    for (std::size_t i = 0; i < taken; ++i) {
      // Relaxed: ordered by the acquire above. What is read from a slot that has been refilled
      // since is dropped when the exchange fails.
      stolen[i] = slot(top_of(word) + i).load(memory_order_relaxed);
    }
    // Release: the owner must not overwrite these slots before they have been read. No acquire: no
    // word recurs, so this is the one read above.
    const bool won =
        public_.compare_exchange_strong(word, next_word(word, top_of(word) + taken, count - taken),
                                        memory_order_release, memory_order_relaxed);
    if (!won) {
      return 0;
    }
    region = found;
    if (taken == count) {
      ask();  // the next thief finds something, even if the owner runs something long now
    }
    return taken;
  }

  /// The same for any region.
  template <class Tasks>
  std::size_t steal(Tasks& stolen) noexcept {
    region_id region = kAnyRegion;
    return steal(stolen, region);
  }

  /// Asks the owner to make tasks public at its next push or pop.
  ///
  /// Sequentially consistent together with `answer`'s exchange: a thief that first registers as
  /// a sleeper and then asks is either answered or, if `answer` overwrote its request, seen by the
  /// owner, which looks for sleepers after `answer` (in that one order, idle_workers).
  void ask() noexcept {
    if (!was_asked_by_thief()) {
      announce_sleep();
    }
  }

  /// Asks even if other threads have: the answer to their request may come before this thread is
  /// seen among the sleepers. Call it after registering as a sleeper and before a heavy fence,
  /// which is followed by a last look at the tasks.
  void announce_sleep() noexcept {
    asked_.store(kByThief, memory_order_seq_cst);  // in one order with answer's exchange
  }

 private:
  // Values of `asked_`. The owner's own requests look like a thief's until it first reserves tasks:
  // a thief that finds the owner's takes the line to replace it.
  static constexpr std::uint32_t kByThief = 1;
  static constexpr std::uint32_t kByOwner = 2;

  [[nodiscard]] std::uint32_t own_request() const noexcept {
    return asked_until_ != 0 && !was_asked_by_thief() ? kByOwner : kByThief;
  }

  // Relaxed: meant for this thread. To a thief it looks like a request, which carries no data.
  void demand(std::uint32_t request) noexcept { asked_.store(request, memory_order_relaxed); }

  // Every `kReservedFor` a thief has to ask again: it may have found other work.
  bool has_thief_asked_lately() noexcept {
    const std::uint64_t now = ticks();
    if (now >= asked_until_) {
      if (!was_asked_by_thief()) {
        return false;
      }
      demand(kByOwner);
      asked_until_ = now + to_ticks(kReservedFor);
    }
    return true;
  }

  // Twice what a group of 1000 empty tasks takes. With 20 us nothing changed.
  static constexpr std::chrono::microseconds kReservedFor{10};

  static constexpr unsigned kTopBits = SlotBits;
  static constexpr unsigned kCountBits = SlotBits + 1;
  static constexpr std::uint64_t kSlots = std::uint64_t{1} << kTopBits;

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

  struct alignas(kCacheLineBytes) slots {
    std::array<atomic<pool_task*>, kSlots> tasks;
  };
  atomic<pool_task*>& slot(std::uint64_t at) noexcept { return ring_->tasks[at % kSlots]; }

  // Both require: the caller is the owner, or acts for it.

  [[nodiscard]] pool_task* newest() const noexcept {
    return newest_.load(memory_order_relaxed);  // own, or ordered by the lock
  }
  void link(pool_task& task) noexcept {
    task.older = newest();
    newest_.store(&task, memory_order_relaxed);  // other threads only guess by it
  }

  // Of the innermost region that has any. Requires: nothing is public; the caller as above.
  void publish_oldest() noexcept {
    if (newest() != nullptr) {
      pool_task* rest = newest();
      publish_older_half(rest, region_);
      newest_.store(rest, memory_order_relaxed);  // other threads only guess by it
      return;
    }
    for (put_aside* each = aside_; each != nullptr; each = each->outer) {
      if (each->newest != nullptr) {
        publish_older_half(each->newest, each->region);
        return;
      }
    }
  }

  // Of the list, not empty, that begins with `newest`, as the rest does then. Requires: as above.
  void publish_older_half(pool_task*& newest, region_id region) noexcept {
    std::uint64_t count = 0;
    for (const pool_task* each = newest; each != nullptr; each = each->older) {
      ++count;
    }
    const std::uint64_t more = std::min(count - count / 2, kSlots);
    pool_task* each = cut_behind(newest, count - more);
    public_region_.store(region, memory_order_relaxed);  // released like the slots
    if (is_reserving_) {
      reserved_until_.store(ticks() + to_ticks(kReservedFor), memory_order_relaxed);  // as above
    }
    for (std::uint64_t i = more; i > 0; --i, each = each->older) {
      // Relaxed: released by the store of the word below.
      slot(split_ + i - 1).store(each, memory_order_relaxed);
    }
    // No other thread changes the word while nothing is public.
    const std::uint64_t word = public_.load(memory_order_acquire);  // pairs with steal's release
    public_.store(next_word(word, split_, more), memory_order_release);  // with its acquire
    split_ += more;
  }

  // Ends the list after its `kept` newest tasks; returns the others, newest first.
  static pool_task* cut_behind(pool_task*& newest, std::uint64_t kept) noexcept {
    if (kept == 0) {
      return std::exchange(newest, nullptr);
    }
    pool_task* last = newest;
    for (; kept > 1; --kept) {
      last = last->older;
    }
    return std::exchange(last->older, nullptr);
  }

  // Appends a list to the private tasks.
  void link_below(pool_task* list) noexcept {
    pool_task* last = newest();
    if (last == nullptr) {
      newest_.store(list, memory_order_relaxed);  // other threads only guess by it
      return;
    }
    while (last->older != nullptr) {
      last = last->older;
    }
    last->older = list;
  }

  // The newest public task. Null if there is none left, or if they are of another region.
  pool_task* take_back() noexcept {
    if (public_region_.load(memory_order_relaxed) != region_) {  // the owner's own
      return nullptr;
    }
    std::uint64_t word = public_.load(memory_order_relaxed);  // the owner's own tasks: no data
    for (std::uint64_t count = count_of(word); count != 0; count = count_of(word)) {
      // Relaxed: its own tasks; for thieves it continues the publishing store's release sequence.
      if (public_.compare_exchange_weak(word, next_word(word, top_of(word), count - 1),
                                        memory_order_relaxed)) {
        if (count == 1 && has_thieves_) {
          demand_attention();  // the next push has to publish
        }
        return slot(--split_).load(memory_order_relaxed);  // written by this thread
      }
    }
    return nullptr;
  }

  // Atomic for threads that guess by it.
  alignas(kCacheLineBytes) atomic<pool_task*> newest_{nullptr};
  std::uint64_t split_ = 0;
  bool has_thieves_ = false;
  bool is_reserving_ = false;
  region_id region_ = 0;
  std::uint64_t asked_until_ = 0;  // ticks: until then a thief's last request counts; 0: none did
  put_aside* aside_ = nullptr;
  alignas(kCacheLineBytes) atomic<std::uint32_t> asked_{0};
  alignas(kCacheLineBytes) atomic<std::uint64_t> public_{0};
  atomic<region_id> public_region_{0};
  atomic<std::uint64_t> reserved_until_{0};  // ticks; 0: the owner is not reserving
  atomic<bool> reserved_were_long_{false};
  std::unique_ptr<slots> ring_;  // never changes once other threads know the deque
  FINEGRAIN_NO_UNIQUE_ADDRESS OwnerLock lock_;
};

/// For workers that always return to their queue.
using private_deque = basic_private_deque<no_lock, 13>;
/// For threads that may be busy with something that waits for a task in their queue. Smaller,
/// because OpenMP programs may have a thousand of them: 8 KiB each.
using deputised_deque = basic_private_deque<biased_lock, 10>;

}  // namespace fg::inline FINEGRAIN_ABI::detail
