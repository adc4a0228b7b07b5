// Relics and pools on a thread that may wait: each task runs once, on more than one thread.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "finegrain/host/affinity.hpp"
#include "finegrain/pool.hpp"
#include "finegrain/relic.hpp"
#include "require.hpp"

namespace {

using fg::atomic;

void each_task_runs_once() {
  constexpr std::size_t kTasks = 1'000'000;
  fg::relic relic;
  require(!relic.inline_mode(), "a relic has an assistant");
  std::vector<unsigned char> runs(kTasks);
  for (unsigned char& count : runs) {
    relic.submit([&count] { ++count; });
  }
  relic.wait();
  std::size_t once = 0;
  for (const unsigned char count : runs) {
    once += count == 1 ? 1 : 0;
  }
  std::printf("relic: %zu of %zu tasks ran once; %s\n", once, kTasks,
              relic.placement().reason.c_str());
  require(once == kTasks, "each task runs exactly once");
}

// Without `wait`, in which the main thread may run a task itself. The assistant sleeps between.
void a_sleeping_assistant_is_woken() {
  fg::relic relic{{.spin_budget = std::chrono::microseconds{0}}};
  for (int i = 0; i < 1000; ++i) {
    atomic<bool> has_run{false};
    // Release and acquire: the flag lives on this thread's stack until it has been set.
    relic.submit([&has_run] { has_run.store(true, fg::memory_order_release); });
    while (!has_run.load(fg::memory_order_acquire)) {
    }
  }
}

void an_exception_arrives() {
  fg::relic relic;
  relic.submit([] { throw std::runtime_error{"of a task"}; });
  std::string what;
  try {
    relic.wait();
  } catch (const std::runtime_error& thrown) {
    what = thrown.what();
  }
  require(what == "of a task", "`wait` throws what a task threw");
}

int fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = fg::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void a_pool_computes() {
  for (const std::size_t workers : {std::size_t{1}, std::size_t{2}}) {
    fg::pool pool{{.workers = workers}};
    require(pool.size() == workers, "a pool has as many workers as asked for");
    const auto begin = std::chrono::steady_clock::now();
    const int result = pool.run([] { return fib(30); });
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    std::printf("pool of %zu: fib(30) = %d in %.1f ms\n", workers, result, took.count());
    require(result == 832'040, "fib(30)");
  }
}

// Each branch waits for the other one to have begun: with one thread it would hang.
void two_branches_run_at_once() {
  fg::pool pool{{.workers = 2}};
  atomic<int> begun{0};
  const auto meet = [&begun] {
    begun.fetch_add(1, fg::memory_order_relaxed);  // relaxed, both: nothing but the count is passed
    while (begun.load(fg::memory_order_relaxed) != 2) {
    }
  };
  pool.run([&meet] { fg::fork_join(meet, meet); });
}

// On a relic, and on the pool of the calling thread.
template <class... Runner>
void algorithms_compute(Runner&... runner) {
  const auto [a, b] = fg::fork_join(runner..., [] { return 1; }, [] { return 2; });
  require(a == 1 && b == 2, "both branches have run");
  std::vector<int> numbers(10'000);
  fg::parallel_for(runner..., 0, 10'000,
                   [&numbers](int i) { numbers[static_cast<std::size_t>(i)] += i; });
  const long sum = fg::parallel_reduce(
      runner..., 0, 10'000, 0L,
      [&numbers](int i) { return long{numbers[static_cast<std::size_t>(i)]}; }, std::plus<>{});
  require(sum == 49'995'000, "loops run each index once");
}

void loops_and_forks_compute() {
  fg::relic relic;
  fg::pool pool;
  for (int i = 0; i < 100; ++i) {
    algorithms_compute(relic);
    pool.run([] { algorithms_compute(); });
  }
}

void a_pool_has_a_worker_for_each_cpu() {
  const fg::pool pool;
  const std::size_t cpus = fg::usable_cpus().size();
  std::printf("%zu workers for %zu CPUs\n", pool.size(), cpus);
  require(cpus == std::thread::hardware_concurrency(), "as many CPUs as the browser says");
  require(pool.size() == cpus, "a pool has a worker for each CPU");
}

void what_there_is_not_is_refused() {
  require(fg::pin_this_thread(0) == std::errc::function_not_supported, "no thread is pinned");
  const fg::relic relic{{.scheduling = {.kind = fg::scheduling_class::fifo}}};
  require(!relic.scheduling_refusal().empty(), "there are no scheduling classes");
}

}  // namespace

int main() {
  each_task_runs_once();
  a_sleeping_assistant_is_woken();
  an_exception_arrives();
  a_pool_computes();
  two_branches_run_at_once();
  loops_and_forks_compute();
  a_pool_has_a_worker_for_each_cpu();
  what_there_is_not_is_refused();
  return failures;
}
