// Quota and throttling of a real control group of version 1, created for the test if permitted.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_quota.hpp"
#include "finegrain/host/placement.hpp"

namespace {

bool write(const std::string& file, const std::string& text) {
  std::ofstream out{file};
  out << text << std::flush;
  return out.good();
}

// A group below this process's own, removed in the end.
class temporary_group {
 public:
  temporary_group() {
    const auto own = fg::detail::find_cgroup_folders({}, fg::detail::cgroup_version::v1);
    if (own.empty()) {
      why_not_ = "there is no cpu controller of version 1";
      return;
    }
    path_ = own.front().path + "/finegrain-test-" + std::to_string(getpid());
    if (mkdir(path_.c_str(), 0755) != 0) {
      why_not_ = "may not make " + path_;
      path_.clear();
    } else if (!set_quota("150000")) {
      why_not_ = "may not set the quota of " + path_;
    }
  }
  temporary_group(const temporary_group&) = delete;
  temporary_group& operator=(const temporary_group&) = delete;
  ~temporary_group() {
    if (!path_.empty()) {
      // The kernel releases a group a moment after its last process has ended.
      for (int attempt = 0; attempt < 100 && rmdir(path_.c_str()) != 0; ++attempt) {
        usleep(10'000);
      }
    }
  }

  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }
  [[nodiscard]] bool set_quota(const std::string& us) const {
    return write(path_ + "/cpu.cfs_quota_us", us);
  }
  [[nodiscard]] bool enter() const {
    return write(path_ + "/cgroup.procs", std::to_string(getpid()));
  }

 private:
  std::string path_;
  std::string why_not_;
};

void burn_cpu_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// 0, or the number of the failed step. In a child process: a group holds whole processes.
int check_in(const temporary_group& group) {
  const std::optional<double> before = fg::quota_cpus();
  if (!group.enter()) {
    return 1;
  }
  const std::optional<double> quota = fg::quota_cpus();
  if (!quota || *quota != std::min(before.value_or(1.5), 1.5)) {
    return 2;
  }
  const std::vector<int> allowed = fg::usable_cpus();
  const std::string reason =
      fg::choose_placement(fg::system_host_view(), allowed, fg::current_cpu(), {}).reason;
  if (!before && allowed.size() > 1 && reason != "cgroup quota of 1.5 CPUs is below two") {
    return 3;
  }
  fg::detail::throttle_watch watch;
  if (watch.throttled_since_last_look()) {
    return 4;
  }
  if (!group.set_quota("20000")) {  // a fifth of a CPU
    return 5;
  }
  burn_cpu_for(std::chrono::milliseconds{400});
  return watch.throttled_since_last_look() ? 0 : 6;
}

TEST(cpu_quota_system, a_real_group_of_version_1) {
  const temporary_group group;
  if (!group.why_not().empty()) {
    GTEST_SKIP() << group.why_not();
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    _exit(check_in(group));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the step of check_in that failed";
}

}  // namespace
