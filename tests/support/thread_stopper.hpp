// Stops single threads of this process, wherever they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

namespace fg::test {

/// SIGSTOP stops a whole process, and finegrain's threads block all other signals. So a child
/// process stops single threads as a debugger does: ptrace(2) needs neither the thread's consent
/// nor its signal mask. Only one thread at a time may call it. Between two calls nothing is traced,
/// so that LeakSanitizer, which traces at exit, can attach to the process.
class thread_stopper {
 public:
  /// Forks: construct it before the test's threads.
  thread_stopper() {
    if (pipe2(orders_.data(), O_CLOEXEC) != 0 || pipe2(answers_.data(), O_CLOEXEC) != 0) {
      return;
    }
    helper_ = fork();
    if (helper_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(orders_[kWrite]);  // so that its end is noticed
      serve();
    }
    // For systems where Yama permits tracing only by ancestors; elsewhere it fails, and is not
    // needed.
    prctl(PR_SET_PTRACER, static_cast<unsigned long>(helper_), 0, 0, 0);
    close(orders_[kRead]);
    close(answers_[kWrite]);
  }
  ~thread_stopper() {
    close(orders_[kWrite]);
    close(answers_[kRead]);
    waitpid(helper_, nullptr, 0);
  }
  thread_stopper(const thread_stopper&) = delete;
  thread_stopper& operator=(const thread_stopper&) = delete;

  /// Stops `thread` for this time, and returns when it continues. 0, or the error: ESRCH if it has
  /// ended, another one if this system does not permit it.
  int stop(pid_t thread, std::chrono::microseconds time) {
    const order wanted{.thread = thread, .us = static_cast<long>(time.count())};
    int error = 0;
    const bool served = write(orders_[kWrite], &wanted, sizeof wanted) == sizeof wanted &&
                        read(answers_[kRead], &error, sizeof error) == sizeof error;
    return served ? error : EPIPE;
  }

 private:
  static constexpr std::size_t kRead = 0;
  static constexpr std::size_t kWrite = 1;
  struct order {
    pid_t thread;
    long us;
  };

  // Runs in the helper: system calls only, since it is a fork of a process that may have had
  // threads.
  [[noreturn]] void serve() const {
    order next{};
    while (read(orders_[kRead], &next, sizeof next) == sizeof next) {
      const int error = hold(next);
      if (write(answers_[kWrite], &error, sizeof error) != sizeof error) {
        break;
      }
    }
    _exit(0);
  }

  static int hold(const order& what) {
    if (ptrace(PTRACE_SEIZE, what.thread, 0, 0) != 0) {
      return errno;
    }
    if (ptrace(PTRACE_INTERRUPT, what.thread, 0, 0) != 0) {
      return errno;
    }
    int status = 0;
    if (waitpid(what.thread, &status, __WALL) < 0 || !WIFSTOPPED(status)) {
      return ESRCH;
    }
    const timespec time{.tv_sec = what.us / 1'000'000, .tv_nsec = what.us % 1'000'000 * 1000};
    nanosleep(&time, nullptr);
    // A signal that came first is passed on; the requested stop has none.
    const long signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
    return ptrace(PTRACE_DETACH, what.thread, 0, signal) == 0 ? 0 : errno;
  }

  std::array<int, 2> orders_{-1, -1};
  std::array<int, 2> answers_{-1, -1};
  pid_t helper_ = -1;
};

}  // namespace fg::test
