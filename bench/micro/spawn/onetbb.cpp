// spawn-onetbb: oneAPI Threading Building Blocks.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/plain_runner.hpp"
#include "micro/spawn/spawn_runtime.hpp"
#include "runtimes/pinning.hpp"

namespace {

// parallel_invoke was the fastest of three forms here (2 vCPUs of an AMD EPYC, oneTBB 2023.2, wall
// ns per spawn on 1 and 2 threads): this 81 and 41, task_group's run and wait 96 and 48, run and
// run_and_wait 124 and 62.
template <class Leaf>
std::uint64_t invoked_fib(int n) {
  if (n < 2) {
    return Leaf::value(n);
  }
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  tbb::parallel_invoke([&] { first = invoked_fib<Leaf>(n - 1); },
                       [&] { second = invoked_fib<Leaf>(n - 2); });
  return first + second;
}

void produce(const fg::bench::flat_job& job, std::size_t producer) {
  tbb::task_group group;
  const std::uint64_t first = job.first_of(producer);
  for (std::uint64_t i = first; i < first + job.tasks_each; ++i) {
    group.run([&job, i] { job.run(i); });
  }
  group.wait();
}

void run_flat(const fg::bench::flat_job& job) {
  fg::bench::start_gate gate{job.producers};
  tbb::task_group others;
  for (std::size_t producer = 1; producer < job.producers; ++producer) {
    others.run([&job, &gate, producer] {
      gate.arrive_and_wait();
      produce(job, producer);
    });
  }
  gate.arrive_and_wait();
  produce(job, 0);
  others.wait();
}

// Ties every thread that enters the arena to the CPU of its place there. A refused CPU shows in the
// sample, which reports where the threads were.
class place_threads : public tbb::task_scheduler_observer {
 public:
  place_threads(tbb::task_arena& arena, const std::vector<int>& cpus)
      : task_scheduler_observer{arena}, cpus_{cpus} {
    observe(true);
  }
  ~place_threads() override { observe(false); }
  place_threads(const place_threads&) = delete;
  place_threads& operator=(const place_threads&) = delete;

  void on_scheduler_entry(bool /*is_worker*/) override {
    const int place = tbb::this_task_arena::current_thread_index();
    static_cast<void>(fg::pin_this_thread(cpus_.at(static_cast<std::size_t>(place))));
  }

 private:
  const std::vector<int>& cpus_;
};

void session(const fg::bench::spawn_setup& setup,
             const std::function<void(fg::bench::task_runner&)>& body) {
  const std::size_t threads = setup.cpus.size();
  const tbb::global_control limit{tbb::global_control::max_allowed_parallelism, threads};
  tbb::task_arena arena{static_cast<int>(threads), 1};
  arena.initialize();
  const place_threads placement{arena, setup.cpus};
  arena.execute([&body] {
    fg::bench::plain_runner runner{[]<class Leaf>(int n) { return invoked_fib<Leaf>(n); },
                                   run_flat};
    body(runner);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return fg::bench::spawn_main({.name = "onetbb",
                                .version = std::string{"oneTBB "} + TBB_runtime_version(),
                                .policies = {},
                                .session = session},
                               argc, argv);
}
