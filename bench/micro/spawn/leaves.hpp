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
  static std::uint64_t value(int n) { return static_cast<std::uint64_t>(n); }
};

/// Where the leaves of a tree ran. One tree at a time.
class leaf_census {
 public:
  /// Called on the thread that runs the root, before it.
  static void begin() {
    root_thread_ = std::this_thread::get_id();
    const std::lock_guard guard{mutex_};
    cpus_ = {current_cpu()};
    ++number_;
  }

  /// Returns 1 on another thread than the root's, else 0. Any thread of the tree.
  static std::uint64_t count() {
    if (std::this_thread::get_id() == root_thread_) {
      return 0;
    }
    if (seen_in_ != number_) [[unlikely]] {
      seen_in_ = number_;
      const std::lock_guard guard{mutex_};
      cpus_.insert(current_cpu());
    }
    return 1;
  }

  /// The CPUs of the root and of the other threads at their first leaf. After the tree.
  static const std::set<int>& cpus() { return cpus_; }

 private:
  // Written before the root spawns, and so before any other thread has a leaf.
  static inline std::thread::id root_thread_;
  static inline std::uint64_t number_ = 0;
  static inline thread_local std::uint64_t seen_in_ = 0;
  static inline std::mutex mutex_;
  static inline std::set<int> cpus_;
};

/// Leaves that are counted where they did not run on the root's thread.
struct census_leaf {
  static std::uint64_t value(int) { return leaf_census::count(); }
};

}  // namespace fg::bench
