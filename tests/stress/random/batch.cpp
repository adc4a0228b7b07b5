// SPDX-License-Identifier: Apache-2.0
#include "stress/random/batch.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

namespace fg::test {

namespace {

using steady = std::chrono::steady_clock;

/// The progress of a child: in memory shared with its parent, so it survives any crash.
struct progress {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<std::int64_t> since{0};  // steady_clock's count
};

volatile sig_atomic_t was_interrupted = 0;

enum class ending { done, wrong, hung, interrupted };

class batches {
 public:
  explicit batches(const batch_plan& plan)
      : plan_{plan}, end_{plan.first_seed + plan.programs}, shown_{map_progress()} {}
  batches(const batches&) = delete;
  batches& operator=(const batches&) = delete;
  ~batches() { munmap(shown_, sizeof(progress)); }

  int perform() {
    int code = 0;
    std::uint64_t next = plan_.first_seed;
    while (next < end_) {
      const std::uint64_t last = std::min(next + kProgramsAChild, end_);
      const ending how = perform_in_child(next, last);
      if (how == ending::interrupted) {
        std::fprintf(stderr,
                     "interrupted; the rest: --first-seed %" PRIu64 " --programs %" PRIu64 "%s\n",
                     current(), end_ - current(), plan_.switches.c_str());
        return 130;
      }
      if (how == ending::done) {
        next = last;
        continue;
      }
      code = std::max(code, how == ending::hung ? 2 : 1);
      ++failed_;
      if (!plan_.keep_going) {
        return code;
      }
      next = current() + 1;
    }
    std::printf("%" PRIu64 " programs, %" PRIu64 " failed, %.1f s\n", plan_.programs, failed_,
                std::chrono::duration<double>(steady::now() - begun_).count());
    return code;
  }

 private:
  static constexpr std::uint64_t kProgramsAChild = 100;

  static progress* map_progress() {
    void* const memory =
        mmap(nullptr, sizeof(progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("mmap");
      std::exit(1);
    }
    return ::new (memory) progress;
  }

  [[nodiscard]] std::uint64_t current() const { return shown_->seed.load(); }

  ending perform_in_child(std::uint64_t first, std::uint64_t last) {
    show_seed(first);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) {
      std::perror("fork");
      std::exit(1);
    }
    if (child == 0) {
      live_as_child(first, last);
    }
    return watch(child);
  }

  [[noreturn]] void live_as_child(std::uint64_t first, std::uint64_t last) {
    signal(SIGINT, SIG_IGN);  // its parent ends it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (std::uint64_t seed = first; seed != last; ++seed) {
      show_seed(seed);
      fg::test::perform(generate(seed, plan_.features), plan_.has);
    }
    std::exit(0);  // like a normal program, so that sanitizers check for leaks
  }

  void show_seed(std::uint64_t seed) {
    shown_->since.store(steady::now().time_since_epoch().count());
    shown_->seed.store(seed);
  }

  ending watch(pid_t child) {
    int status = 0;
    for (;;) {
      const pid_t ended = waitpid(child, &status, WNOHANG);
      if (ended == child) {
        return judge(status);
      }
      if (was_interrupted != 0) {
        stop(child);
        return ending::interrupted;
      }
      const steady::duration since{shown_->since.load()};
      if (steady::now().time_since_epoch() - since > plan_.patience) {
        tell_of_hang(child);
        stop(child);
        return ending::hung;
      }
      tell_progress();
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  }

  static void stop(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  ending judge(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      return ending::done;
    }
    std::string why = "ended with code " + std::to_string(WEXITSTATUS(status));
    if (WIFSIGNALED(status)) {
      why = std::string{"was ended by "} + strsignal(WTERMSIG(status));
    } else if (WEXITSTATUS(status) == kWrong) {
      why = "went wrong";
    }
    tell(why);
    return ending::wrong;
  }

  void tell_of_hang(pid_t child) {
    tell("hangs since " + std::to_string(plan_.patience.count()) + " ms");
    if (plan_.hold) {
      std::fprintf(stderr, "process %d is there until you end it or this one\n", child);
      while (was_interrupted == 0 && waitpid(child, nullptr, WNOHANG) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
      }
    }
  }

  void tell(const std::string& what) {
    const std::string text = show(generate(current(), plan_.features));
    std::fprintf(stderr, "%sprogram %" PRIu64 " %s\nagain: --seed %" PRIu64 "%s\n", text.c_str(),
                 current(), what.c_str(), current(), plan_.switches.c_str());
  }

  void tell_progress() {
    const steady::time_point now = steady::now();
    if (now - told_ < std::chrono::seconds{10}) {
      return;
    }
    told_ = now;
    const double passed = std::chrono::duration<double>(now - begun_).count();
    const std::uint64_t performed = current() - plan_.first_seed;
    std::fprintf(stderr, "seed %" PRIu64 ": %" PRIu64 " of %" PRIu64 " programs, %.0f/s\n",
                 current(), performed, plan_.programs, static_cast<double>(performed) / passed);
  }

  const batch_plan& plan_;
  std::uint64_t end_;
  progress* shown_;
  std::uint64_t failed_ = 0;
  steady::time_point begun_ = steady::now();
  steady::time_point told_ = steady::now();
};

}  // namespace

int perform_all(const batch_plan& plan) {
  struct sigaction quietly{};
  quietly.sa_handler = [](int) { was_interrupted = 1; };
  sigaction(SIGINT, &quietly, nullptr);
  sigaction(SIGTERM, &quietly, nullptr);
  return batches{plan}.perform();
}

}  // namespace fg::test
