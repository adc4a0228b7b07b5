// Our own threads of parallel regions: fork, barrier and join.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "../thread.hpp"
#include "baton.hpp"
#include "control_values.hpp"
#include "doacross.hpp"
#include "finegrain/core/cache_line.hpp"
#include "fork_tree.hpp"
#include "signal_count.hpp"
#include "thread_binding.hpp"
#include "worksharing.hpp"

namespace fg::omp::runtime {

/// What each thread of a region runs.
struct region_call {
  static constexpr std::size_t kArguments = 5;

  /// Of the ABI; calls `body`. Null: the thread ends.
  void (*run)(thread& self, const region_call& call) = nullptr;
  void* body = nullptr;
  std::array<void*, kArguments> arguments{};
};

/// What the threads of a region know of its place among others. Read only when asked for.
struct region_place {
  implicit_part* outer = nullptr;  ///< the part of the thread that opened it, in the region around
  const control_values* values = nullptr;  ///< of its implicit tasks, until they set some
  int level = 0;                           ///< regions around and including it
  int active_level = 0;                    ///< those of them with more than one thread
  unsigned size = 1;
  unsigned width = 1;  ///< threads of all regions around and including it, if all are as wide

  bool operator==(const region_place&) const = default;
};

/// What the runtime keeps of one thread's part of a region, or of the code outside of regions.
struct implicit_part {
  const region_place* place = nullptr;
  worksharing* shared = nullptr;           ///< null: the region's only thread
  std::uint32_t number = 0;                ///< of the thread in the region
  loop_counts loops;                       ///< so far
  std::uint32_t singles = 0;               ///< single constructs so far
  bool ran_single = false;                 ///< whether the latest one was this thread's
  unsigned wanted_threads = 0;             ///< of the next region's num_threads clause; 0: not said
  const control_values* values = nullptr;  ///< null: the region's
  std::unique_ptr<control_values> own_values;  ///< where `values` points once the task has set some
  loop_part loop;
  doacross crossing;
  /// Of LLVM's ABI, where a nest begins before its outermost loop: its bounds, and what its threads
  /// share.
  const void* nest = nullptr;
  loop_part nest_loop;
  bool holds_reduction = false;     ///< LLVM's: the lock of the reduction that the thread is in
  std::uint8_t wanted_binding = 0;  ///< omp_proc_bind_t of the next region's clause; 0: not said
  // A league of teams runs one team after another, on the thread that has come upon it.
  int team_number = 0;
  int teams = 0;         ///< 0: not a team of a league
  int wanted_teams = 0;  ///< of the next teams construct; 0: not said
  int wanted_team_limit = 0;

  [[nodiscard]] const control_values& current() const noexcept {
    return values != nullptr ? *values : *place->values;
  }
  /// The task's own copy of them, to be changed.
  control_values& own() noexcept;
};

/// The threads that one thread opens regions with, one region at a time. They are kept between
/// regions, until omp_pause_resource, and never restarted: a region takes as many of them as it needs, a wider one adds some,
/// the others sleep. A region inside a region has a hot team of the thread that opens it.
///
/// ## Protocol
/// Each worker shares one cache line with the leader, thread 0 of the region: a baton, and what to
/// run. The others wait for their batons.
///
///     fork     the leader writes the calls and passes each baton to its worker
///     barrier  a worker passes its baton to the leader; the leader, when it has all, back to all
///     join     a worker passes its baton to the leader at the end of its part
///
/// So a region costs a line that goes there and back for each worker, and a barrier the same. Up to
/// `kMostFlat` threads it is flat: the leader gathers, in order. A worker that has no region waits
/// for its baton, too.
///
/// In a wide region, one of more threads with a CPU for each, a worker shares its line with the
/// thread above it in a tree (fork_tree.hpp) and does for those below it what the leader does for
/// all:
///
///     fork     it writes their calls and passes their batons, then begins its own part
///     barrier  baton_tree.hpp
///     join     it waits for their batons at the end of its part, then passes its own
///
/// So a region of N threads takes as long as some log(N) of these passes, not N. Between regions
/// each baton is the leader's, and it does not matter which thread passes it next: the join of the
/// one region and the fork of the other order all that these threads do. So teams grow, shrink and
/// change between flat and tree without a word about it.
///
/// Where threads share CPUs a region stays flat: in a tree a thread that has its part behind it has
/// to get a CPU again for those below it. A program of short regions and barriers of up to 70 threads
/// on 2 CPUs took 1.5 times as long (EPYC, KVM).
///
/// A barrier of two has a line for each direction instead, with a count: each thread raises its own
/// and waits for the other's. Between near and far caches that takes 35 to 48 or 265 ns, one line
/// there and back 46 to 66 or 370. Two lines there and back would take 50 to 75 or 530 (2 CPUs of an
/// EPYC 9005, KVM), hence one line for fork and join.
///
/// With cancellation on, threads may leave a region in which others wait for them: its barriers are
/// then those of `cancellable_barrier`, of any number of threads.
///
/// ## Tasks
/// Who waits in a barrier runs the region's tasks, but a region has queues (`omp::team`) only once
/// a task is created. Until then a waiting thread sleeps on the word that it waits for; afterwards
/// on the team's gates, where a new task wakes it as well. Two races:
///
///  - Thread A creates the queues while B goes to sleep on its word. A stores `region::team`, then
///    reads every word (`rouse`); B announces its sleep in the word, then reads `region::team`.
///    All four are sequentially consistent: either A finds B's announcement, or B sees the queues
///    and does not sleep.
///  - Thread C changes the word for B, which sleeps on the gates. C changes it, then reads
///    `region::team`, to wake the team; B has read `region::team` before it announced its sleep on
///    the gates, and then looks at the word once more. If B does not see the change there, its look
///    comes before C's exchange in the single order, so the store of `region::team` that it has
///    seen does, too: C sees it, and wakes B (`team::tell_waiting`, see idle_workers.hpp).
class hot_team final : public own_threads {
 public:
  /// Up to so many threads a region is flat. A tree of 8 takes 0.88 to 0.94 of a flat region's time,
  /// one of 6 threads 1.03 and more, one of 12 threads 0.7 (simulated, ./lab run scaling).
  static constexpr unsigned kMostFlat = 8;
  /// To the base 4: regions of 64 and 192 threads take 1.03 to 1.07 of its time to the base 2, 1.11
  /// to 1.18 to the base 3, 1.18 to 1.33 to the base 8 (simulated).
  using tree = fork_tree<4>;
  /// Threads from which on a reduction in the tree is faster than atomic additions to one variable:
  /// with a barrier 1.4 times at 32, 2.6 at 64, 6 at 192; without one they are level at 32
  /// (simulated).
  static constexpr unsigned kLeastCombining = 32;

  hot_team() noexcept;
  hot_team(const hot_team&) = delete;
  hot_team& operator=(const hot_team&) = delete;

  /// The calling thread's hot team that it has no region of yet.
  static hot_team& of(thread& self) noexcept;

  /// Opens a region of up to `size` threads, on which the workers begin at once; returns how many
  /// it has. Leader only. Ends the program if memory runs out.
  unsigned fork(thread& self, unsigned size, const region_call& call) noexcept;
  /// The leader's part of the region, or a worker's: enters the region, runs the call, leaves it.
  void run_part(thread& self, std::uint32_t number, const region_call& call) noexcept;
  /// Enters the region as thread `number`, without running anything.
  void enter(thread& self, frame& part, implicit_part& own, std::uint32_t number) noexcept;
  /// The end of what `enter` began. `tasks_before`: `thread::tasks` at its beginning.
  void leave(thread& self, std::uint64_t tasks_before) noexcept;
  /// Ends the threads of all teams that the calling thread leads. Requires: it has no region open.
  static void end_threads(thread& self) noexcept;
  /// Returns when all workers have ended their parts. Leader only, after its own.
  void join() noexcept;

  /// Cancels the region: those that wait in its barriers leave them. Any of its threads.
  void cancel() noexcept;

  /// Whether reductions go up the tree of the region. With cancellation on a thread may come to none.
  [[nodiscard]] bool combines(bool has_atomics) const noexcept {
    return is_wide() && !cancels_ && (place_.size >= kLeastCombining || !has_atomics);
  }
  /// The calling thread's part of such a reduction: `add(own, other)` adds another thread's
  /// values. Returns true to the leader once it has all; it adds them to the program's variables
  /// and, if `meets`, calls `end_combining`, when the other threads return. If not they return as
  /// soon as their values have been taken. Requires: its tasks are done if `meets`.
  bool combine(thread& self, void* own, void (*add)(void*, void*), bool meets) noexcept;
  /// Whether the leader is between these two calls.
  [[nodiscard]] bool is_combining() const noexcept { return is_combining_; }
  void end_combining(thread& self) noexcept;

  [[nodiscard]] unsigned size() const noexcept { return place_.size; }
  /// Where its threads are; null if threads are not bound.
  [[nodiscard]] team_binding* team_places() const noexcept { return binding_.get(); }

  void meet(thread& self) noexcept override;
  void rouse() noexcept override;

 private:
  struct worker {
    // Written by the side whose turn it is.
    alignas(kCacheLineBytes) baton turn;
    bool expects_tasks = false;
    loop_share::loop_number last_loop = 0;  // before the region
    region_call call;
    // Arrivals at barriers of two.
    alignas(kCacheLineBytes) signal_count of_worker;
    alignas(kCacheLineBytes) signal_count of_leader;
    // Read only.
    alignas(kCacheLineBytes) hot_team* team = nullptr;
    std::uint32_t number = 0;
    pthread_t system_thread{};
  };

  struct waiting_in_tree;
  struct waiting_idle;

  template <bool MayLead>
  static void* serve(void* which) noexcept;
  bool add_worker() noexcept;
  void end_workers() noexcept;
  void grow(unsigned size) noexcept;
  void update_shares(unsigned size) noexcept;
  unsigned prepare(thread& self, unsigned size) noexcept;
  [[gnu::noinline]] unsigned fork_prepared(thread& self, unsigned size,
                                           const region_call& call) noexcept;
  [[gnu::always_inline]] inline bool open(thread& self, unsigned size,
                                          const region_call& call) noexcept;
  [[gnu::always_inline]] inline void begin_own_part(const region_call& call,
                                                    bool expects_tasks) noexcept;
  [[gnu::always_inline]] inline void start(std::uint32_t number, bool expects_tasks,
                                           loop_share::loop_number last_loop,
                                           const region_call& call) noexcept;
  [[gnu::noinline]] void start_below(const worker& above) noexcept;
  [[gnu::noinline]] void join_below(std::uint32_t number) noexcept;
  [[gnu::always_inline]] inline void join_flat() noexcept;
  [[gnu::noinline]] void join_at_length() noexcept;
  [[gnu::always_inline]] inline void end_region() noexcept;
  void tidy_up() noexcept;
  worker& worker_of(std::uint32_t number) noexcept { return *workers_[number - 1]; }
  /// Wakes those that sleep on the gates of the region's queues, if it has some, after a word was
  /// changed.
  void tell_team() const noexcept;
  void gather_and_release(thread& self) noexcept;
  void meet_other(thread& self, signal_count& own, signal_count& others) noexcept;
  void meet_in_tree(thread& self, std::uint32_t number) noexcept;
  void meet_unless_cancelled(thread& self) noexcept;
  [[nodiscard]] bool has_queues() const noexcept;
  template <class Word, class Mark>
  void await(thread& self, Word& word, Mark mark) noexcept;
  template <class Word, class Mark, class MayHelp>
  void await(thread& self, Word& word, Mark mark, MayHelp may_help) noexcept;
  [[nodiscard]] auto batons() noexcept;
  // Whether the region is a tree. Also in a worker's part of it.
  [[nodiscard]] bool is_wide() const noexcept {
    return place_.size > kMostFlat && place_.width <= room_;
  }
  // A hint: a worker may read it while the next region begins.
  [[nodiscard]] bool is_crowded() const noexcept { return is_crowded_.load(memory_order_relaxed); }

  // What the threads read of the region. Written only where it changes, so that in a loop around a
  // region these lines stay shared.
  std::vector<std::unique_ptr<worker>> workers_;
  hot_team* next_ = nullptr;  // of the same thread, for regions inside
  unsigned generation_ = 0;   // of the process that its threads belong to: see process_copies
  const bool cancels_;        // OMP_CANCELLATION
  const bool displays_;       // OMP_DISPLAY_AFFINITY
  const std::unique_ptr<team_binding> binding_;  // null: threads are not bound
  const bool tidies_;                            // there is something to do after a region
  unsigned ready_ = 0;  // regions of up to as many threads need no preparation, are flat
  unsigned room_;       // threads of a region that have a CPU each
  atomic<bool> is_crowded_{false};  // there is no such room
  alignas(kCacheLineBytes) region_place place_;
  alignas(kCacheLineBytes) region region_;
  worksharing shared_;
  // The leader's own.
  alignas(kCacheLineBytes) loop_counts loops_;  // loops and singles of its part
  std::uint32_t singles_ = 0;
  unsigned shares_ = 0;         // threads whose shares are up to date
  const void* code_ = nullptr;  // of the region
  bool expects_tasks_ = true;
  bool joins_at_length_;       // the region is wide, or `tidies_`
  bool is_combining_ = false;  // a reduction with a barrier
  bool is_open_ = false;
};

/// Threads in regions beyond the one that each outermost region begins on: counted only under a
/// thread limit.
atomic<int>& threads_in_regions() noexcept;

/// A thread's part of a region of one thread: its own, without others.
struct serial_region : frame {
  omp::region own_region;
  implicit_part part;
  region_place place;
  std::uint64_t tasks_before = 0;

  void open(thread& self) noexcept;
  /// Requires: it is the innermost.
  void close(thread& self) noexcept;
  /// Its place, in a region of which `around` is the thread's part.
  void lie_in(implicit_part& around) noexcept {
    place.outer = &around;
    place.values = &around.current();
    place.level = around.place->level + 1;
    place.active_level = around.place->active_level;
    place.width = around.place->width;
  }
};

/// A league of teams: returns when all of them have run the call, each with one thread. 0: not said.
void run_teams(thread& self, int teams, int thread_limit, const region_call& call) noexcept;

/// Begins a single construct; returns whether the calling thread runs it.
bool begin_single(implicit_part& part) noexcept;
/// What that thread passes to the others, after the barrier at its end.
void* data_of_single(const worksharing& shared) noexcept;

/// That of the code outside of all regions.
const region_place& outermost_place() noexcept;

/// The calling thread's part of its innermost region, or of the code outside.
implicit_part& part_of(thread& self) noexcept;

/// The part around it that is a team of a league, or null.
const implicit_part* team_around(const implicit_part& part) noexcept;

/// How many threads a region opened now gets, by OpenMP's rules; `wanted`: of a num_threads clause,
/// or 0.
unsigned region_size(thread& self, unsigned wanted) noexcept;

/// Of the next region's proc_bind clause: omp_proc_bind_t.
inline void want_binding(thread& self, unsigned clause) noexcept {
  constexpr auto kMost = static_cast<unsigned>(binding::spread);
  if (clause <= kMost) {
    part_of(self).wanted_binding = static_cast<std::uint8_t>(clause);
  }
}

/// A region between the calls that open and close it.
class open_region {
 public:
  /// Opens it with up to `size` threads, more than one, on all but the calling one.
  void fork(thread& self, unsigned size, const region_call& call) noexcept;
  [[nodiscard]] hot_team& team() noexcept { return *team_; }
  /// Returns when all threads have run the call. On the thread that has opened it, after its part.
  void join() noexcept;

 private:
  hot_team* team_ = nullptr;
  implicit_part* outer_ = nullptr;
  const control_values* outer_values_ = nullptr;
  control_values at_level_;    // where a list in the environment changes them
  unsigned limited_size_ = 0;  // threads taken from the thread limit; 0: there is none
};

/// A parallel region: returns how many threads it had, when all of them have run the call.
unsigned run_region(thread& self, unsigned size, const region_call& call) noexcept;
/// The same with so many threads, if the system and the thread limit give them, also where regions
/// adapt.
unsigned run_with(thread& self, unsigned size, const region_call& call) noexcept;

}  // namespace fg::omp::runtime
