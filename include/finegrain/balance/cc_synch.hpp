// Combining: one thread at a time executes the operations of all waiting threads (CC-Synch).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A `State` under a fair lock whose holder, the combiner, also applies the operations of the
/// threads that wait for the lock. These hand in a request instead of fetching the state's cache
/// lines one after the other.
///
/// CC-Synch: Fatourou, Kallimanis, "Revisiting the combining synchronization technique" (PPoPP
/// 2012, algorithm 1), as OMPi uses it (Agathos et al., "Speeding up OpenMP tasking", Euro-Par
/// 2012, section 3).
///
/// Guarantees: operations are applied one at a time, in order of arrival, each exactly once, on
/// some thread. What the caller wrote before `apply` is visible to its operation; what the
/// operation wrote is visible to the caller afterwards. One call of `apply` serves at most
/// `most_served` operations, so no thread combines forever.
///
/// Threads: any number, but each number 0 to threads - 1 is one thread at a time. Blocking: a
/// waiting thread yields its CPU now and then, because the combiner may need it.
///
/// ## States
/// Nodes form a list in order of arrival. `tail_` is its end: an empty node that has no owner until
/// the next thread arrives. Each thread brings one node along, so there is one more node than
/// threads. A node's `status`:
///
///     kWaiting   not served, or no request in it yet
///     kServed    its operation was applied: the node belongs to its thread again
///     kCombine   the thread that has put a request here, or will, is the combiner
///
/// ## Protocol
///
///     thread                                   combiner, beginning with its own node
///     A1 own node: kWaiting, no next           C1 the node's next; none: C4
///     A2 exchange it with the tail             C2 apply the node's operation
///     A3 the old tail is now its node:         C3 kServed; on to the next; h of them: C4
///        the request into it                   C4 kCombine to the node arrived at
///     A4 link to the new tail
///     A5 wait until the status changes
///
/// ## Races
/// * *Arrival between A2 and A4*: the combiner finds no next node at C1, and C4 passes the role of
///   combiner to the thread that has not yet linked its node; that thread reads kCombine at A5.
/// * *Reuse*: after C3 the node belongs to its thread, which may bring it along again at once. So
///   the combiner reads `next` before C3 and does not touch the node afterwards.
/// * *C4 against A2*: the role lies in the node, for the thread that gets it, now or later.
///
/// ## Corrections
/// The listing has two flags, wait and completed, that must be read in the order in which they were
/// written; here they are one word. It assumes sequential consistency; the orders below suffice.
template <class State>
class cc_synch {
 public:
  /// `most_served` (the paper's h) >= 1; the rest constructs the state. Throws std::bad_alloc.
  template <class... Arguments>
  cc_synch(std::size_t threads, std::size_t most_served, Arguments&&... arguments)
      : most_served_{most_served},
        nodes_{new node[threads + 1]},
        participants_{new participant[threads]},
        state_{std::forward<Arguments>(arguments)...} {
    for (std::size_t thread = 0; thread < threads; ++thread) {
      participants_[thread].own = &nodes_[thread];
    }
    node& first = nodes_[threads];
    // Relaxed, both: no other thread is here yet.
    first.status.store(kCombine, memory_order_relaxed);
    tail_.store(&first, memory_order_relaxed);
  }
  cc_synch(const cc_synch&) = delete;
  cc_synch& operator=(const cc_synch&) = delete;

  /// Applies `operation(State&)`, here or on the combiner's thread, and returns afterwards. The
  /// operation must not throw, nor call `apply` on the same object.
  template <class Operation>
  void apply(std::size_t thread, Operation operation) noexcept {
    participant& here = participants_[thread];
    node& end = *here.own;
    // Relaxed, both: published by the exchange.
    end.next.store(nullptr, memory_order_relaxed);
    end.status.store(kWaiting, memory_order_relaxed);
    // Release: publishes the two stores above to the next arriving thread's exchange. Acquire:
    // pairs with the previous one's release, so our request and link come after its two stores.
    node& mine = *tail_.exchange(&end, memory_order_acq_rel);
    mine.serve = [](State& state, void* what) { (*static_cast<Operation*>(what))(state); };
    mine.operation = &operation;
    mine.next.store(&end, memory_order_release);  // pairs with the combiner's acquire at C1
    here.own = &mine;
    if (wait(mine.status) == kCombine) {
      combine(mine);
    }
  }

 private:
  static constexpr std::uint32_t kWaiting = 0;
  static constexpr std::uint32_t kServed = 1;
  static constexpr std::uint32_t kCombine = 2;

  struct alignas(kCacheLineBytes) node {
    atomic<std::uint32_t> status{kWaiting};
    atomic<node*> next{nullptr};
    void (*serve)(State&, void*) = nullptr;
    void* operation = nullptr;
  };
  struct alignas(kCacheLineBytes) participant {
    node* own = nullptr;
  };

  static std::uint32_t wait(const atomic<std::uint32_t>& status) noexcept {
    // Acquire, both: pairs with the combiner's releases at C3, for what the operation wrote, and
    // C4, for what earlier combiners did to the state.
    std::uint32_t now = status.load(memory_order_acquire);
    for (spin_wait<> turn; now == kWaiting; now = status.load(memory_order_acquire)) {
      turn();
    }
    return now;
  }

  // Requires: the caller is the combiner, because it has read kCombine in `mine`.
  void combine(node& mine) noexcept {
    node* each = &mine;
    for (std::size_t served = 0; served < most_served_; ++served) {
      node* const next = each->next.load(memory_order_acquire);  // C1, pairs with the release at A4
      if (next == nullptr) {
        break;
      }
      each->serve(state_, each->operation);
      each->status.store(kServed, memory_order_release);  // C3, pairs with the acquire in wait
      each = next;
    }
    each->status.store(kCombine, memory_order_release);  // C4, pairs with the acquire in wait
  }

  std::size_t most_served_;
  std::unique_ptr<node[]> nodes_;
  std::unique_ptr<participant[]> participants_;
  alignas(kCacheLineBytes) atomic<node*> tail_{nullptr};
  alignas(kCacheLineBytes) State state_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
