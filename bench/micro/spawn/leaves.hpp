// What the leaves of a fib tree return, so that one tree serves the timing and the proof.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <thread>

#include "finegrain/core/affinity.hpp"

namespace fg::bench {

/// Leaves of fib itself.
struct fib_leaf {
  static void begin() {}
  static std::uint64_t value(int n) { return static_cast<std::uint64_t>(n); }
};

/// Where the leaves of a tree ran. One tree at a time.
class leaf_census {
 public:
  /// Called on the thread that runs the root, before it.
  static void begin() {
    root_thread = std::this_thread::get_id();
    const std::lock_guard guard{mutex};
    kept_cpus = {current_cpu()};
    ++number;
  }

  /// Returns 1 on another thread than the root's, else 0. Any thread of the tree.
  static std::uint64_t count() {
    if (std::this_thread::get_id() == root_thread) {
      return 0;
    }
    if (seen_in != number) [[unlikely]] {
      seen_in = number;
      const std::lock_guard guard{mutex};
      kept_cpus.insert(current_cpu());
    }
    return 1;
  }

  /// The CPUs of the root and of the other threads at their first leaf. After the tree.
  static const std::set<int>& cpus() { return kept_cpus; }

 private:
  // Written before the root spawns, and so before any other thread has a leaf.
  static inline std::thread::id root_thread;
  static inline std::uint64_t number = 0;
  static inline thread_local std::uint64_t seen_in = 0;
  static inline std::mutex mutex;
  static inline std::set<int> kept_cpus;
};

/// Leaves that are counted where they did not run on the root's thread.
struct census_leaf {
  static void begin() { leaf_census::begin(); }
  static std::uint64_t value(int) { return leaf_census::count(); }
};

}  // namespace fg::bench
