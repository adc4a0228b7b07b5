// Locks of which it is known how many lines they move, whatever the number of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sim/simulator/directory.hpp"
#include "sim/simulator/program.hpp"

namespace sim {

/// All waiters look at one word: Mellor-Crummey, Scott, "Algorithms for scalable synchronization on
/// shared-memory multiprocessors" (TOCS 1991), section 2.2.
///
/// While N threads want it all the time, N > 1, an acquisition moves N + 1 lines: that of the next
/// ticket; that of the ticket being served, for the store of the thread that leaves; and that again
/// to each of the N - 1 that wait.
class ticket_lock {
 public:
  void lock() {
    const std::uint64_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    while (served_.load(std::memory_order_acquire) != ticket) {
      pause();
    }
  }
  void unlock() {
    served_.store(served_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  static constexpr std::uint64_t lines(std::uint64_t threads) {
    return threads == 1 ? 0 : threads + 1;
  }
  static constexpr std::uint64_t invalidations(std::uint64_t threads) {
    return threads == 1 ? 0 : threads;
  }

 private:
  alignas(64) std::atomic<std::uint64_t> next_{0};
  alignas(64) std::atomic<std::uint64_t> served_{0};
};

/// A queue in the middle of all threads, under a lock whose waiters each look at a line of their own:
/// Craig, "Building FIFO and priority-queueing spin locks from atomic swap" (1993); Landin, Hagersten
/// (IPPS 1994).
///
/// While N threads pop all the time, N > 1, an operation moves 7 lines, whatever N: the node, to
/// announce the thread; the end of the line of waiters; the predecessor's node, twice to look at it
/// and once for the store that ends the wait; the queue's head, to read and to write it.
class central_queue {
 public:
  central_queue() {
    for (std::size_t thread = 0; thread < nodes_.size() - 1; ++thread) {
      mine_[thread].node = &nodes_[thread + 1];
    }
  }

  std::uint64_t pop(double ns_inside) {
    own& self = mine_[this_thread()];
    self.node->is_waited_for.store(true, std::memory_order_relaxed);
    node* const before = last_.exchange(self.node, std::memory_order_acq_rel);
    while (before->is_waited_for.load(std::memory_order_acquire)) {
      pause();
    }
    const std::uint64_t item = head_++;
    spend_ns(ns_inside);
    self.node->is_waited_for.store(false, std::memory_order_release);
    self.node = before;
    return item;
  }

  static constexpr std::uint64_t lines(std::uint64_t threads) { return threads == 1 ? 0 : 7; }
  static constexpr std::uint64_t invalidations(std::uint64_t threads) {
    return threads == 1 ? 0 : 4;
  }

 private:
  struct alignas(64) node {
    std::atomic<bool> is_waited_for{false};
  };
  struct alignas(64) own {
    node* node = nullptr;
  };

  std::array<node, kMaxCores + 1> nodes_;
  std::array<own, kMaxCores> mine_;
  alignas(64) std::atomic<node*> last_{nodes_.data()};
  alignas(64) std::uint64_t head_ = 0;
};

}  // namespace sim
