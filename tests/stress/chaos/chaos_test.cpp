// Checks that chaos is chaotic: otherwise the tests that rely on it could not fail.
// SPDX-License-Identifier: Apache-2.0
#include "support/chaos.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/thread/service_thread.hpp"
#include "support/chaos_run.hpp"
#include "support/thread_stopper.hpp"

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A finegrain thread that blocks signals and reads the clock all the time.
class clock_watcher {
 public:
  clock_watcher()
      : thread_{fg::detail::start_service_thread({"watcher"}, &clock_watcher::watch, this)} {
    while (number() == 0) {
      std::this_thread::yield();
    }
  }
  ~clock_watcher() {
    if (thread_.joinable()) {
      end();
    }
  }
  clock_watcher(const clock_watcher&) = delete;
  clock_watcher& operator=(const clock_watcher&) = delete;

  [[nodiscard]] pid_t number() const { return number_.load(); }
  void end() {
    over_.store(true);
    thread_.join();
  }
  // Call it after the thread has ended.
  [[nodiscard]] steady_clock::duration longest_gap() const { return longest_gap_; }
  [[nodiscard]] const std::set<int>& cpus() const { return cpus_; }

 private:
  void watch() {
    auto last = steady_clock::now();
    number_.store(static_cast<pid_t>(syscall(SYS_gettid)));
    for (bool over = false; !over;) {
      over = over_.load();  // before the clock, so that a stop precedes one of the two reads
      const auto now = steady_clock::now();
      longest_gap_ = std::max(longest_gap_, now - last);
      last = now;
      cpus_.insert(fg::current_cpu());
    }
  }

  fg::atomic<pid_t> number_{0};
  fg::atomic<bool> over_{false};
  steady_clock::duration longest_gap_{0};
  std::set<int> cpus_;
  std::thread thread_;
};

TEST(thread_stopper, stops_one_thread_and_lets_it_go_on) {
  fg::test::thread_stopper stopper;
  clock_watcher stopped;
  const auto begin = steady_clock::now();
  const int error = stopper.stop(stopped.number(), milliseconds{200});
  const auto took = steady_clock::now() - begin;
  if (error == EPERM || error == ENOSYS) {
    GTEST_SKIP() << "the system refuses ptrace: " << std::strerror(error);
  }
  stopped.end();  // it continues, or this hangs
  EXPECT_EQ(error, 0) << std::strerror(error);
  EXPECT_GE(took, milliseconds{200});
  EXPECT_GE(stopped.longest_gap(), milliseconds{190});
}

TEST(thread_stopper, says_that_a_thread_has_ended) {
  fg::test::thread_stopper stopper;
  clock_watcher ended;
  ended.end();
  const int error = stopper.stop(ended.number(), milliseconds{1});
  EXPECT_TRUE(error == ESRCH || error == EPERM || error == ENOSYS) << std::strerror(error);
}

TEST(chaos, moves_and_stops_threads_and_leaves_them_as_they_were) {
  const std::vector<int> before = fg::usable_cpus();
  clock_watcher disturbed;
  bool stops = false;
  {
    fg::test::chaos_run run;
    const auto& done = run.disturbances();
    stops = done.refusal() == 0;
    while (run.goes_on() || (stops && done.stops() < 20) ||
           (before.size() > 1 && done.moves() < 20)) {
      std::this_thread::sleep_for(milliseconds{1});
      stops = done.refusal() == 0;
    }
  }
  EXPECT_EQ(fg::usable_cpus(), before);
  disturbed.end();
  EXPECT_EQ(disturbed.cpus().size() > 1, before.size() > 1);
  if (!stops) {
    GTEST_SKIP() << "no thread was stopped: the system refuses ptrace";
  }
}

}  // namespace
