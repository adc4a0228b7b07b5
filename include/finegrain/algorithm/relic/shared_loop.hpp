// Runs one loop on both threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "finegrain/algorithm/relic/loop_layout.hpp"
#include "finegrain/algorithm/relic/shared_range.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "finegrain/task/branch.hpp"
#include "finegrain/task/carried.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What the two threads of a loop share.
struct loop_room {
  shared_range range;
  // Set by the assistant when an iteration of its throws, so that main stops early; the exception
  // itself comes with the task. Main polls it, and the assistant touches its line only then.
  alignas(kCacheLineBytes) atomic<bool> assistant_threw{false};

  /// Main, after the assistant has left a loop that was given up.
  void reset() noexcept {
    range.reset();
    // Relaxed: the next loop's task is published after it.
    assistant_threw.store(false, memory_order_relaxed);
  }
};

/// The calling thread's room, for the outermost of its loops. A loop inside it has none, so each
/// thread then has a fixed part.
class room_lease {
 public:
  room_lease() noexcept : room_{std::exchange(is_lent(), true) ? nullptr : &this_threads()} {}
  ~room_lease() {
    if (room_ != nullptr) {
      is_lent() = false;
    }
  }
  room_lease(const room_lease&) = delete;
  room_lease& operator=(const room_lease&) = delete;

  /// Null if another loop has it.
  [[nodiscard]] loop_room* room() const noexcept { return room_; }

 private:
  static loop_room& this_threads() noexcept {
    constinit static thread_local loop_room room;
    return room;
  }
  static bool& is_lent() noexcept {
    constinit static thread_local bool lent = false;
    return lent;
  }

  loop_room* room_;
};

/// What a thread has at the end of its part of the loop.
template <class Worker>
auto part_of(Worker& worker) {
  return result_of([&worker] { return worker.finish(); });
}
template <class Work>
using part_t = decltype(part_of(
    std::declval<decltype(std::declval<const Work&>().worker(range_side::assistant))&>()));

/// How a task holds the work, with `Beside` more bytes, and the address of a part that does not fit
/// into its line.
template <class Work, std::size_t Beside>
using carried_work =
    carried<const Work,
            kFitsInClosure<Work, Beside + (kFitsInRecord<part_t<Work>> ? 0 : sizeof(void*))>>;

/// What the assistant has, when it has finished. Throws what an iteration of its threw.
template <class Forked>
auto part_of_assistant(Forked& task) {
  return result_of([&task] { return task.get(); });
}

/// The assistant's task if it has a fixed part, [begin, end).
template <class Work>
struct fixed_part_task {
  using held = carried_work<Work, 2 * sizeof(std::uint64_t)>;

  std::uint64_t begin;
  std::uint64_t end;
  held work;

  auto operator()() const {
    decltype(auto) own = work.get();
    auto worker = own.worker(range_side::assistant);
    worker(begin, end);
    return part_of(worker);
  }
};

/// The assistant's task if chunks are shared: [begin, end) first, then what it can take.
template <class Work>
struct shared_part_task {
  using held = carried_work<Work, sizeof(loop_room*) + 2 * sizeof(std::uint64_t)>;

  loop_room* room;
  std::uint64_t begin;
  std::uint64_t end;
  held work;

  auto operator()() const {
    FINEGRAIN_TRY { return run(); }
    FINEGRAIN_CATCH(...) {
      // Relaxed: the task's completion publishes the exception.
      room->assistant_threw.store(true, memory_order_relaxed);
      FINEGRAIN_RETHROW;
    }
  }

  [[nodiscard]] auto run() const {
    decltype(auto) own = work.get();
    auto worker = own.worker(range_side::assistant);
    worker(begin, end);
    while (const auto chunk = room->range.take(range_side::assistant)) {
      const auto [length, iterations] = room->range.lengths();
      const std::uint64_t start = *chunk * length;
      worker(start, start + std::min(length, iterations - start));
    }
    return part_of(worker);
  }
};

/// Each thread runs its own part. Returns what main and the assistant have at the end.
template <class Relic, class Work>
auto run_fixed_parts(Relic& relic, const loop_layout& layout, const Work& work) {
  const std::uint64_t split = layout.begin_of(layout.split());
  using task = fixed_part_task<Work>;
  auto forked = relic.fork(task{split, layout.iterations(), typename task::held{work}});
  const auto own = [&] {
    [[maybe_unused]] const auto only_looks = relic_access::without_help(relic);  // as in fork_join
    auto worker = work.worker(range_side::main);
    worker(0, split);
    return part_of(worker);
  };
  auto mains = own();
  return std::pair{std::move(mains), part_of_assistant(forked)};
}

/// Main's part if chunks are shared.
template <class Relic, class Work>
auto take_chunks(Relic& relic, loop_room& room, const loop_layout& layout, const Work& work) {
  [[maybe_unused]] const auto only_looks = relic_access::without_help(relic);  // as in fork_join
  auto worker = work.worker(range_side::main);
  worker(0, layout.begin_of(layout.mains_grant()));
  // Relaxed: it only ends the loop early.
  while (!room.assistant_threw.load(memory_order_relaxed)) {
    const auto chunk = room.range.take(range_side::main);
    if (!chunk) {
      break;
    }
    worker(layout.begin_of(*chunk), layout.begin_of(*chunk + 1));
  }
  return part_of(worker);
}

/// The two threads take chunks from each other. Returns what main and the assistant have at the end.
template <class Relic, class Work>
auto run_shared_parts(Relic& relic, const loop_layout& layout, loop_room& room, const Work& work) {
  using task = shared_part_task<Work>;
  auto forked =
      relic.fork(task{&room, layout.begin_of(layout.split()),
                      layout.begin_of(layout.assistants_grant()), typename task::held{work}});
  // After the publication, so that waiting for its lines does not delay that.
  room.range.open({layout.mains_grant(), layout.split()},
                  {layout.assistants_grant(), layout.chunks()},
                  {layout.chunk(), layout.iterations()});
  FINEGRAIN_TRY {
    auto mains = take_chunks(relic, room, layout, work);
    return std::pair{std::move(mains), part_of_assistant(forked)};
  }
  FINEGRAIN_CATCH(...) {
    room.range.close();
    forked.wait();
    room.reset();
    FINEGRAIN_RETHROW;
  }
}

/// Runs the loop on both threads and waits for its end. `work.worker(side)` makes the object with
/// which the calling thread runs its iterations: `worker(begin, end)` at least once, in any order,
/// and finally `finish()` unless one of them threw. Returns a pair of what `finish` returned on main
/// and on the assistant (std::monostate for void); the latter comes home in the task's line if it
/// fits.
///
/// If workers throw, chunks not yet begun never run, and one exception is passed on, main's
/// rather than the assistant's. Requires: the relic's main thread, not in inline mode;
/// `layout.is_shareable()`. No allocation.
template <class Relic, class Work>
auto run_on_both(Relic& relic, loop_layout layout, const Work& work) {
  const room_lease lease;
  if (layout.grants_all() || lease.room() == nullptr) {
    layout.grant_all();
    return run_fixed_parts(relic, layout, work);
  }
  return run_shared_parts(relic, layout, *lease.room(), work);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
