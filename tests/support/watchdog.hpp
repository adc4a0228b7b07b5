// Ends a test that hangs, and prints what its threads were doing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "support/process_threads.hpp"

namespace fg::test {

/// While it lives, the process has this much time: then it prints `note` and the state of all
/// threads, and aborts.
class watchdog {
 public:
  explicit watchdog(std::chrono::seconds limit, std::string note = {})
      : note_{std::move(note)}, thread_{[this, limit] { watch(limit); }} {}
  ~watchdog() {
    {
      const std::lock_guard lock{mutex_};
      over_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  void watch(std::chrono::seconds limit) {
    std::unique_lock lock{mutex_};
    if (ended_.wait_for(lock, limit, [this] { return over_; })) {
      return;
    }
    std::fprintf(stderr, "hangs since %lld s; %s\n", static_cast<long long>(limit.count()),
                 note_.c_str());
    for (const pid_t each : process_threads()) {
      std::fprintf(stderr, "thread %d: %s\n", each, describe_thread(each).c_str());
    }
    std::abort();
  }

  std::string note_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace fg::test
