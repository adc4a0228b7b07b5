// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/timed_run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include "finegrain_omp/pointers.hpp"

namespace fg::omp_command {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t kErrorsKept = 64UL * 1024;
constexpr timespec kTimeToEnd{.tv_sec = 2, .tv_nsec = 0};

void check(int error, const char* what) {
  if (error != 0) {
    throw std::system_error{error, std::generic_category(), what};
  }
}

// Captures a program's stderr: a file in memory, because a pipe could fill up.
class error_file {
 public:
  error_file() : descriptor_{memfd_create("stderr", MFD_CLOEXEC)} {
    check(descriptor_ < 0 ? errno : 0, "cannot capture its stderr");
  }
  error_file(const error_file&) = delete;
  error_file& operator=(const error_file&) = delete;
  ~error_file() { close(descriptor_); }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] std::string text() const {
    std::string text(kErrorsKept, '\0');
    const ssize_t size = pread(descriptor_, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

 private:
  int descriptor_;
};

class spawn_actions {
 public:
  explicit spawn_actions(int errors) {
    check(posix_spawn_file_actions_init(&actions_), "cannot start it");
    add(posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
    add(posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0));
    add(posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO));
  }
  spawn_actions(const spawn_actions&) = delete;
  spawn_actions& operator=(const spawn_actions&) = delete;
  ~spawn_actions() { posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  static void add(int error) { check(error, "cannot start it"); }
  posix_spawn_file_actions_t actions_{};
};

// The program gets its own process group, so that all of it can be ended, and the original signal
// mask.
class spawn_attributes {
 public:
  explicit spawn_attributes(const sigset_t& mask) {
    check(posix_spawnattr_init(&attributes_), "cannot start it");
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setsigmask(&attributes_, &mask);
  }
  spawn_attributes(const spawn_attributes&) = delete;
  spawn_attributes& operator=(const spawn_attributes&) = delete;
  ~spawn_attributes() { posix_spawnattr_destroy(&attributes_); }
  [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

pid_t start(const std::string& path, const std::vector<std::string>& arguments,
            environment& variables, const sigset_t& mask, int errors) {
  std::vector<std::string> copies = arguments;
  pid_t child = 0;
  check(posix_spawn(&child, path.c_str(), spawn_actions{errors}.get(), spawn_attributes{mask}.get(),
                    pointers_to(copies).data(), variables.pointers().data()),
        path.c_str());
  return child;
}

bool has_ended(pid_t child, int& status) { return waitpid(child, &status, WNOHANG) == child; }

// Asks the program to end, waits for some time, then kills it.
void end_group(pid_t child, int& status) {
  kill(-child, SIGTERM);
  sigset_t child_ends;
  sigemptyset(&child_ends);
  sigaddset(&child_ends, SIGCHLD);
  const auto deadline = clock::now() + std::chrono::seconds{kTimeToEnd.tv_sec};
  while (!has_ended(child, status)) {
    if (clock::now() >= deadline || sigtimedwait(&child_ends, nullptr, &kTimeToEnd) < 0) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return;
    }
  }
  kill(-child, SIGKILL);  // processes that it started and left behind
}

}  // namespace

timed_runner::timed_runner() {
  sigemptyset(&held_back_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&held_back_, signal);
  }
  check(pthread_sigmask(SIG_BLOCK, &held_back_, &before_), "cannot block signals");
}

timed_runner::~timed_runner() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

timed_run timed_runner::run(const std::string& path, const std::vector<std::string>& arguments,
                            environment& variables) {
  const error_file errors;
  timed_run result;
  int status = 0;
  const auto begin = clock::now();
  const pid_t child = start(path, arguments, variables, before_, errors.descriptor());
  while (!has_ended(child, status)) {
    const int signal = sigwaitinfo(&held_back_, nullptr);
    if (signal > 0 && signal != SIGCHLD) {
      result.interrupted = signal;
      end_group(child, status);
      break;
    }
  }
  result.seconds = std::chrono::duration<double>(clock::now() - begin).count();
  result.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.errors = errors.text();
  return result;
}

}  // namespace fg::omp_command
