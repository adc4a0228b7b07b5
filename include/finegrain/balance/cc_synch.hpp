// Combining: one thread at a time executes the operations of all that wait (CC-Synch).
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

/// A `State` under a fair lock whose holder, the combiner, also applies the operations of those who
/// wait for it: they hand in a request instead of fetching the state's cache lines one by one.
///
/// CC-Synch: Fatourou, Kallimanis, "Revisiting the combining synchronization technique" (PPoPP
/// 2012, algorithm 1), as OMPi uses it (Agathos et al., "Speeding up OpenMP tasking", Euro-Par
/// 2012, section 3).
///
/// Guarantees: operations are applied one at a time, in the order of arrival, each exactly once, on
/// some thread; what the caller wrote before `apply` is visible to its operation, and what the
/// operation wrote is visible to the caller afterwards. At most `most_served` of them in one call
/// of `apply`: nobody combines for ever.
///
/// Threads: any number, but each number 0 to threads - 1 is one thread at a time. Blocking: who
/// waits yields its CPU now and then, because the combiner may need it.
///
/// ## States
/// Nodes form a list in order of arrival; `tail_` is its end, an empty node that belongs to nobody
/// until the next one arrives. Each thread has one node to bring along: one more than threads.
/// A node's `status`:
///
///     kWaiting   not served, or no request in it yet
///     kServed    its operation was applied: the node is its thread's again
///     kCombine   who put a request here, or will, is the combiner
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
/// * *Arrival between A2 and A4*: the combiner finds no next at C1, and C4 passes the office to the
///   one who has not yet linked its node; it reads kCombine at A5.
/// * *Reuse*: after C3 the node belongs to its thread, who may bring it along again at once. So the
///   combiner reads the next before, and the node not again.
/// * *C4 against A2*: the office lies in the node, whoever gets it, now or later.
///
/// ## Corrections
/// The listing has two flags, wait and completed, that must be read in the order in which they were
/// written; here they are one word. It presumes sequential consistency; the orders below suffice.
template <class State>
class cc_synch {
 public:
  /// Throws std::bad_alloc. `most_served`, h in the paper: at least 1. The remaining arguments
  /// construct the state.
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
    // Relaxed, both: nobody else is here yet.
    first.status.store(kCombine, memory_order_relaxed);
    tail_.store(&first, memory_order_relaxed);
  }
  cc_synch(const cc_synch&) = delete;
  cc_synch& operator=(const cc_synch&) = delete;

  /// Applies `operation(State&)`, here or on the thread of the combiner, and returns afterwards. It
  /// must not throw, nor apply anything to the same object.
  template <class Operation>
  void apply(std::size_t thread, Operation operation) noexcept {
    participant& here = participants_[thread];
    node& end = *here.own;
    // Relaxed, both: published by the exchange.
    end.next.store(nullptr, memory_order_relaxed);
    end.status.store(kWaiting, memory_order_relaxed);
    // Release: the two stores above, to the exchange of whoever arrives next. Acquire: pairs with
    // that release by who arrived before, so that our request and link come after its two stores.
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

  // Requires: the office, which is ours because we read kCombine in `mine`.
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
