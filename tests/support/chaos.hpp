// Disturbs the threads of a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "support/busy.hpp"
#include "support/process_threads.hpp"
#include "support/thread_stopper.hpp"

namespace fg::test {

/// While it lives, a thread of its own moves single threads of this process from CPU to CPU, among
/// those that its creator may use, and stops some for a while: most for less than a time slice,
/// some for many. At the end all remaining threads may use all these CPUs again.
class chaos {
 public:
  explicit chaos(std::uint64_t seed) : cpus_{usable_cpus()}, random_{seed} {
    set_allowed_cpus(cpus_);  // this thread's, also if it is left only one
    thread_ = std::thread{[this] { disturb_until_told(); }};
  }
  ~chaos() {
    over_.store(true);
    thread_.join();
    for (const pid_t each : process_threads()) {
      allow(each, cpus_);
    }
  }
  chaos(const chaos&) = delete;
  chaos& operator=(const chaos&) = delete;

  [[nodiscard]] std::size_t moves() const noexcept { return moves_.load(); }
  [[nodiscard]] std::size_t stops() const noexcept { return stops_.load(); }
  /// Why no thread can be stopped here: an error number; 0 if one can, as far as is known.
  [[nodiscard]] int refusal() const noexcept { return refusal_.load(); }

 private:
  void disturb_until_told() {
    const auto self = static_cast<pid_t>(syscall(SYS_gettid));
    while (!over_.load()) {
      std::vector<pid_t> threads = process_threads();
      std::erase(threads, self);
      if (!threads.empty()) {
        const pid_t chosen = threads[random_() % threads.size()];
        random_() % 2 == 0 ? move(chosen) : stop(chosen);
      }
      std::this_thread::sleep_for(std::chrono::microseconds{random_() % 400});
    }
  }

  void move(pid_t thread) {
    if (cpus_.size() > 1 && allow(thread, {cpus_[random_() % cpus_.size()]})) {
      ++moves_;
    }
  }

  void stop(pid_t thread) {
    if (refusal_.load() != 0) {
      return;
    }
    const std::uint64_t longest_us = random_() % 16 == 0 ? 8000 : 300;
    const int error = stopper_.stop(thread, std::chrono::microseconds{random_() % longest_us});
    if (error == 0) {
      ++stops_;
    } else if (error != ESRCH) {
      refusal_.store(error);
    }
  }

  static bool allow(pid_t thread, const std::vector<int>& cpus) {
    detail::cpu_mask mask;
    for (const int cpu : cpus) {
      mask.add(cpu);
    }
    return sched_setaffinity(thread, mask.bytes(), mask.get()) == 0;
  }

  std::vector<int> cpus_;
  thread_stopper stopper_;
  std::mt19937_64 random_;  // the chaos thread's
  atomic<std::size_t> moves_{0};
  atomic<std::size_t> stops_{0};
  atomic<int> refusal_{0};
  atomic<bool> over_{false};
  std::thread thread_;
};

/// A hash of `x`: splitmix64 (Steele, Lea, Flood 2014).
inline std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Delays the calling thread one time in eight: by up to 50 us, or by a yield.
inline void dawdle(std::uint64_t random) {
  if (random % 16 == 0) {
    busy_for(std::chrono::microseconds{random / 16 % 51});
  } else if (random % 16 == 1) {
    sched_yield();
  }
}

}  // namespace fg::test
