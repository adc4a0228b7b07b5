// Runs one loop on both threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/relic/loop_layout.hpp"
#include "finegrain/algorithm/relic/shared_range.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/task/carried.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Carries an exception of the assistant to the main thread. The main thread polls its line, so the
/// assistant touches it only when it has one.
class assistants_failure {
 public:
  /// Assistant: keeps the exception being handled.
  void keep() noexcept {
    exception_ = std::current_exception();
    // Relaxed: it tells main to stop early; the task's completion publishes the exception.
    happened_.store(true, memory_order_relaxed);
  }

  /// Main, at any time. Certain after the task's completion, which orders it, so relaxed.
  [[nodiscard]] bool happened() const noexcept { return happened_.load(memory_order_relaxed); }

  /// Main, after the task's completion.
  void rethrow_if_any() {
    if (happened()) [[unlikely]] {
      std::rethrow_exception(std::move(exception_));
    }
  }

 private:
  atomic<bool> happened_{false};
  std::exception_ptr exception_;
};

/// What the two threads of a loop share.
struct loop_room {
  shared_range range;
  // Written by main for each loop, read by the assistant only if it has an exception.
  alignas(kCacheLineBytes) assistants_failure* failure = nullptr;
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

/// What the task of a part holds besides the work: three words.
inline constexpr std::size_t kBytesBesideWork = 3 * sizeof(void*);
template <class Work>
using carried_work = carried<const Work, kFitsInClosure<Work, kBytesBesideWork>>;

/// The assistant's task if it has a fixed part, [begin, end).
template <class Work>
struct fixed_part_task {
  assistants_failure* failure;
  std::uint64_t begin;
  std::uint64_t end;
  carried_work<Work> work;

  void operator()() const noexcept {
    FINEGRAIN_TRY {
      auto worker = work.get().worker(range_side::assistant);
      worker(begin, end);
      worker.finish();
    }
    FINEGRAIN_CATCH(...) { failure->keep(); }
  }
};

/// The assistant's task if chunks are shared: [begin, end) first, then what it can take.
template <class Work>
struct shared_part_task {
  loop_room* room;
  std::uint64_t begin;
  std::uint64_t end;
  carried_work<Work> work;

  void operator()() const noexcept {
    FINEGRAIN_TRY {
      auto worker = work.get().worker(range_side::assistant);
      worker(begin, end);
      while (const auto chunk = room->range.take(range_side::assistant)) {
        const auto [length, iterations] = room->range.lengths();
        const std::uint64_t start = *chunk * length;
        worker(start, start + std::min(length, iterations - start));
      }
      worker.finish();
    }
    FINEGRAIN_CATCH(...) { room->failure->keep(); }
  }
};

template <class Relic, class Work>
void run_fixed_parts(Relic& relic, const loop_layout& layout, assistants_failure& failure,
                     const Work& work) {
  const std::uint64_t split = layout.begin_of(layout.split());
  auto forked = relic.fork(
      fixed_part_task<Work>{&failure, split, layout.iterations(), carried_work<Work>{work}});
  auto worker = work.worker(range_side::main);
  worker(0, split);
  worker.finish();
  forked.get();
}

/// Main's part if chunks are shared.
template <class Work>
void take_chunks(shared_range& range, const loop_layout& layout, const assistants_failure& failure,
                 const Work& work) {
  auto worker = work.worker(range_side::main);
  worker(0, layout.begin_of(layout.mains_grant()));
  while (!failure.happened()) {
    const auto chunk = range.take(range_side::main);
    if (!chunk) {
      break;
    }
    worker(layout.begin_of(*chunk), layout.begin_of(*chunk + 1));
  }
  worker.finish();
}

template <class Relic, class Work>
void run_shared_parts(Relic& relic, const loop_layout& layout, loop_room& room,
                      assistants_failure& failure, const Work& work) {
  room.failure = &failure;
  auto forked = relic.fork(shared_part_task<Work>{&room, layout.begin_of(layout.split()),
                                                  layout.begin_of(layout.assistants_grant()),
                                                  carried_work<Work>{work}});
  // After the publication, so that waiting for its lines does not delay that.
  room.range.open({layout.mains_grant(), layout.split()},
                  {layout.assistants_grant(), layout.chunks()},
                  {layout.chunk(), layout.iterations()});
  FINEGRAIN_TRY { take_chunks(room.range, layout, failure, work); }
  FINEGRAIN_CATCH(...) {
    room.range.close();
    forked.get();
    room.range.reset();
    FINEGRAIN_RETHROW;
  }
  forked.get();
  if (failure.happened()) [[unlikely]] {
    room.range.reset();
  }
}

/// Runs the loop on both threads and waits for its end. `work.worker(side)` makes the object with
/// which the calling thread runs its iterations: `worker(begin, end)` any number of times, in any
/// order, and finally `finish()` unless one of them threw.
///
/// If workers throw, chunks not yet begun never run, and one exception is passed on, main's
/// rather than the assistant's. Requires: the relic's main thread, not in inline mode;
/// `layout.is_shareable()`. No allocation.
template <class Relic, class Work>
void run_on_both(Relic& relic, loop_layout layout, const Work& work) {
  const room_lease lease;
  assistants_failure failure;
  if (layout.grants_all() || lease.room() == nullptr) {
    layout.grant_all();
    run_fixed_parts(relic, layout, failure, work);
  } else {
    run_shared_parts(relic, layout, *lease.room(), failure, work);
  }
  failure.rethrow_if_any();
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
