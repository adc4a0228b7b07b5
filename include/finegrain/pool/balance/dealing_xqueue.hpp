// How X-OpenMP's policies push: to everybody in turn.
#pragma once

#include <cstddef>

#include "finegrain/pool/balance/deputies.hpp"
#include "finegrain/pool/balance/xqueue.hpp"
#include "finegrain/pool/idle_workers.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// An xqueue that knows whose turn it is and whom to wake.
///
/// Source: X-OpenMP (2024), section 3: the static round-robin that all its policies begin with.
class dealing_xqueue : public xqueue {
 public:
  /// `idle` and `standing_in`, who may empty others' queues, outlive the queues. `whom`: those of
  /// whom. Throws std::bad_alloc.
  dealing_xqueue(std::size_t workers, idle_workers& idle, std::size_t ring_capacity, deputised whom,
                 const deputies& standing_in)
      : xqueue{workers, ring_capacity}, idle_{idle}, whom_{whom}, standing_in_{standing_in} {
    if (whom == deputised::everybody) {
      // A producer that may be busy for long with what comes next leaves the first task to another.
      for (std::size_t producer = 0; producer < workers; ++producer) {
        next_target(producer);
      }
    }
  }

  /// Pushes to the next one in turn and wakes it. False: that ring is full, and the turn is over.
  /// The producer only.
  // Inlined: as a call it took 2 to 9 instructions more, where a push and a pop together take 124
  // to 223 (clang 19, x86-64, one and two workers).
  [[gnu::always_inline]] bool deal(std::size_t producer, pool_task& task) noexcept {
    const std::size_t target = next_target(producer);
    if (!push(producer, target, task)) {
      return false;
    }
    if (target != producer || whom_ == deputised::everybody) {
      wake(target);
    }
    return true;
  }

  /// Wakes `worker` if it sleeps, after something was published for it; another one too if that may
  /// stand in for it, because it may be busy or is away. Any thread.
  void wake(std::size_t worker) noexcept {
    if (idle_.any_after_publishing()) {
      idle_.wake(worker);
      if (whom_ == deputised::everybody || standing_in_.is_away_guess(worker)) {
        idle_.wake_one();
      }
    }
  }

 private:
  idle_workers& idle_;
  deputised whom_;
  const deputies& standing_in_;
};

}  // namespace fg::inline FINEGRAIN_ABI
