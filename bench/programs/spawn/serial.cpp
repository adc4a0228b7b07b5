// spawn-serial: everything by plain calls, in one process or in several concurrent ones.
// SPDX-License-Identifier: Apache-2.0
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

#include "programs/frame/pinning.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/spawn/plain_runner.hpp"
#include "programs/spawn/spawn_runtime.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/serial_forms.hpp"
#include "programs/spawn/workloads/serial_tasks.hpp"
#include "programs/spawn/workloads/tile_job.hpp"
#include "programs/spawn/workloads/walk.hpp"
#include "programs/spawn/workloads/work_counter.hpp"

namespace {

using fg::bench::spawn_setup;
using fg::bench::work_counter;

// The work counters of the processes, in shared memory.
class shared_counters {
 public:
  explicit shared_counters(std::size_t processes) : count_{processes} {
    if (memory_ == MAP_FAILED) {
      throw std::system_error{errno, std::system_category(), "no shared memory"};
    }
    std::uninitialized_default_construct_n(static_cast<work_counter*>(memory_), count_);
  }
  ~shared_counters() { munmap(memory_, bytes()); }
  shared_counters(const shared_counters&) = delete;
  shared_counters& operator=(const shared_counters&) = delete;

  [[nodiscard]] std::span<work_counter> all() const {
    return {static_cast<work_counter*>(memory_), count_};
  }

 private:
  [[nodiscard]] std::size_t bytes() const {
    return (count_ + 1) * sizeof(work_counter);
  }  // never empty

  std::size_t count_;
  void* memory_ = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
};

void require_cpu_if_tied(const spawn_setup& setup, int cpu) {
  if (setup.tied) {
    fg::bench::require_cpu(cpu);
  }
}

// Runs in the child: works until the parent ends.
[[noreturn]] void keep_busy(const spawn_setup& setup, int cpu, work_counter& done) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    require_cpu_if_tied(setup, cpu);
    while (true) {
      setup.beside(done);
    }
  } catch (...) {  // the parent notices that the child has ended
    _exit(1);
  }
}

// Processes that compute beside this one, from construction to destruction.
class neighbours {
 public:
  // Starts one for each CPU except the first.
  explicit neighbours(const spawn_setup& setup) : counters_{setup.cpus.size() - 1} {
    if (setup.cpus.size() > 1 && !setup.beside) {
      throw fg::bench::wrong_arguments("serial processes side by side have no unit of this work");
    }
    for (std::size_t at = 0; at + 1 < setup.cpus.size(); ++at) {
      const pid_t child = fork();
      if (child == 0) {
        keep_busy(setup, setup.cpus[at + 1], counters_.all()[at]);
      }
      if (child < 0) {
        end();
        throw std::system_error{errno, std::system_category(), "no process beside this one"};
      }
      children_.push_back(child);
    }
    for (const work_counter& each : counters_.all()) {
      while (each.done() == 0) {
        require_all();
        usleep(100);
      }
    }
  }
  ~neighbours() { end(); }
  neighbours(const neighbours&) = delete;
  neighbours& operator=(const neighbours&) = delete;

  // Throws std::runtime_error if a child has ended: its result was wrong, or its CPU not available.
  [[nodiscard]] std::uint64_t done() const {
    std::uint64_t sum = 0;
    for (const work_counter& each : counters_.all()) {
      sum += each.done();
    }
    require_all();
    return sum;
  }

 private:
  void require_all() const {
    siginfo_t ended{};
    if (!children_.empty() && waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid != 0) {
      throw std::runtime_error("a process beside this one ended: wrong result, or not its CPU");
    }
  }

  void end() noexcept {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    children_.clear();
  }

  shared_counters counters_;
  std::vector<pid_t> children_;
};

struct forms {
  template <class Leaf>
  static std::uint64_t fib(int n) {
    return fg::bench::called_fib<Leaf>(n);
  }
  static void flat(const fg::bench::flat_job& job) { fg::bench::call_tasks(job, 0, job.tasks()); }
  template <fg::bench::tree_walk Walk>
  static typename Walk::result walk(const Walk& tree) {
    return fg::bench::called_walk(tree);
  }
  template <class Root>
  static void with_tasks(bool /*tied*/, const Root& root) {
    root(fg::bench::serial_tasks{});
  }
  static void run(const fg::bench::tile_job& job) { fg::bench::call_tiles(job); }
};

class runner final : public fg::bench::plain_runner<forms> {
 public:
  explicit runner(const neighbours& beside) : plain_runner{forms{}}, beside_{beside} {}

  [[nodiscard]] std::uint64_t done_beside() const override { return beside_.done(); }

 private:
  const neighbours& beside_;
};

void session(const spawn_setup& setup, const std::function<void(fg::bench::task_runner&)>& body) {
  const neighbours beside{setup};
  require_cpu_if_tied(setup, setup.cpus.front());
  runner runner{beside};
  body(runner);
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main(
      {.name = "serial", .version = "compiler " __VERSION__, .policies = {}, .session = session},
      argc, argv);
}
