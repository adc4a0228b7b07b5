// spawn-serial: fib by plain calls, in one process or in several side by side.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "micro/spawn/leaves.hpp"
#include "micro/spawn/spawn_runtime.hpp"
#include "runtimes/pinning.hpp"

namespace {

template <class Leaf>
[[gnu::noinline]] std::uint64_t called_fib(int n) {
  return n < 2 ? Leaf::value(n) : called_fib<Leaf>(n - 1) + called_fib<Leaf>(n - 2);
}

// What a process beside this one repeats: some 10 us, so that it is counted finely.
constexpr int kBesideN = 20;
constexpr std::uint64_t kBesideFib = 6765;
constexpr std::uint64_t kBesideSpawns = 10945;  // fib(21) - 1

// What the processes have done; a line each, in memory that they share.
struct alignas(fg::kCacheLineBytes) progress {
  fg::atomic<std::uint64_t> spawns{0};
};

class shared_progress {
 public:
  explicit shared_progress(std::size_t processes) : count_{processes} {
    if (memory_ == MAP_FAILED) {
      throw std::system_error{errno, std::system_category(), "no shared memory"};
    }
    std::uninitialized_default_construct_n(static_cast<progress*>(memory_), count_);
  }
  ~shared_progress() { munmap(memory_, bytes()); }
  shared_progress(const shared_progress&) = delete;
  shared_progress& operator=(const shared_progress&) = delete;

  [[nodiscard]] std::span<progress> all() const {
    return {static_cast<progress*>(memory_), count_};
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return (count_ + 1) * sizeof(progress); }  // never none

  std::size_t count_;
  void* memory_ = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
};

// In the child: fib until the end of the parent.
[[noreturn]] void keep_busy(int cpu, progress& done) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (fg::pin_this_thread(cpu)) {
    _exit(1);
  }
  const volatile int n = kBesideN;  // else the compiler computes it once
  while (called_fib<fg::bench::fib_leaf>(n) == kBesideFib) {
    done.spawns.store(done.spawns.load(fg::memory_order_relaxed) + kBesideSpawns,
                      fg::memory_order_relaxed);
  }
  _exit(1);
}

// Processes that compute beside this one, from construction to destruction.
class neighbours {
 public:
  explicit neighbours(std::span<const int> cpus) : progress_{cpus.size()} {
    for (std::size_t at = 0; at < cpus.size(); ++at) {
      const pid_t child = fork();
      if (child == 0) {
        keep_busy(cpus[at], progress_.all()[at]);
      }
      if (child < 0) {
        end();
        throw std::system_error{errno, std::system_category(), "no process beside this one"};
      }
      children_.push_back(child);
    }
    for (const progress& each : progress_.all()) {
      while (each.spawns.load(fg::memory_order_relaxed) == 0) {
        require_all();
        usleep(100);
      }
    }
  }
  ~neighbours() { end(); }
  neighbours(const neighbours&) = delete;
  neighbours& operator=(const neighbours&) = delete;

  [[nodiscard]] std::uint64_t spawns() const {
    std::uint64_t sum = 0;
    for (const progress& each : progress_.all()) {
      sum += each.spawns.load(fg::memory_order_relaxed);
    }
    return sum;
  }

  // Throws std::runtime_error if a child has ended: it had a wrong result, or not its CPU.
  void require_all() const {
    for (const pid_t child : children_) {
      siginfo_t ended{};
      waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (ended.si_pid != 0) {
        throw std::runtime_error("a process beside this one ended: wrong result, or not its CPU");
      }
    }
  }

 private:
  void end() noexcept {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    children_.clear();
  }

  shared_progress progress_;
  std::vector<pid_t> children_;
};

class runner : public fg::bench::task_runner {
 public:
  explicit runner(const neighbours& beside) : beside_{beside} {}

  std::uint64_t fib(int n) override { return called_fib<fg::bench::fib_leaf>(n); }
  std::uint64_t leaves_elsewhere(int n) override {
    beside_.require_all();
    fg::bench::leaf_census::begin();
    return called_fib<fg::bench::census_leaf>(n);
  }
  void flat(const fg::bench::flat_job& job) override {
    for (std::uint64_t i = 0; i < job.tasks(); ++i) {
      job.run(i);
    }
  }
  [[nodiscard]] std::uint64_t spawns_beside() const override { return beside_.spawns(); }

 private:
  const neighbours& beside_;
};

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  const neighbours beside{std::span{setup.cpus}.subspan(1)};
  fg::bench::require_cpu(setup.cpus.front());
  runner runner{beside};
  body(runner);
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main(
      {.name = "serial", .version = "compiler " __VERSION__, .policies = {}, .session = session},
      argc, argv);
}
