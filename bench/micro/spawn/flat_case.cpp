#include "micro/spawn/flat_case.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "kernels/spin/lcg_chain.hpp"
#include "micro/spawn/flat_job.hpp"
#include "micro/spawn/thread_census.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr std::uint64_t kLeastTasks = 1000;
constexpr std::uint64_t kMostTasks = 100'000'000;
// A busy host may keep the other threads out of several loops.
constexpr std::chrono::milliseconds kCensusTime{500};

void keep(std::uint64_t value) { asm volatile("" ::"r"(value)); }

std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Steele, Lea, Flood 2014)
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// ---- what a task does ----

struct delay_work {
  std::uint64_t steps;
  void operator()(std::uint64_t index) const { keep(walk_lcg_chain(index, steps)); }
};

struct loop_work {
  std::uint64_t max_load;
  void operator()(std::uint64_t index) const {
    const std::uint64_t turns = mixed(index) % (max_load + 1);
    volatile std::uint64_t turn = 0;
    while (turn < turns) {
      turn = turn + 1;
    }
  }
};

template <class Work>
struct counted {
  Work work;
  void operator()(std::uint64_t index) const {
    thread_census::count();
    work(index);
  }
};

// Marks its index: each one has to be there once in the end.
struct marking_work {
  std::vector<atomic<std::uint8_t>>* marks;
  void operator()(std::uint64_t index) const { ++marks->at(index); }
};

template <class Work>
flat_job job_of(const Work& work, const flat_plan& plan, std::uint64_t tasks_each) {
  return {.producers = plan.producers,
          .tasks_each = tasks_each,
          .work = [](const void* context,
                     std::uint64_t index) { (*static_cast<const Work*>(context))(index); },
          .context = &work};
}

// ---- checking, timing, counting ----

void require_each_once(const flat_plan& plan, task_runner& runner) {
  std::vector<atomic<std::uint8_t>> marks(plan.producers * kLeastTasks);
  const marking_work work{&marks};
  runner.flat(job_of(work, plan, kLeastTasks));
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i] != 1) {
      throw wrong_result("task " + std::to_string(i) + " ran " + std::to_string(marks[i]) +
                         " times");
    }
  }
}

double timed_ns(task_runner& runner, const flat_job& job) {
  const auto start = std::chrono::steady_clock::now();
  runner.flat(job);
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(end - start).count();
}

// The least number, doubled from the smallest, that takes the time of a batch. Of two runs the
// shorter one counts: in one the threads may have had to wake up.
template <class Work>
std::uint64_t fitting_tasks(task_runner& runner, const Work& work, const flat_plan& plan) {
  std::uint64_t tasks = kLeastTasks;
  while (tasks < kMostTasks) {
    const flat_job job = job_of(work, plan, tasks);
    const double first_ns = timed_ns(runner, job);
    if (std::min(first_ns, timed_ns(runner, job)) >= 1e6 * plan.batch_ms) {
      break;
    }
    tasks *= 2;
  }
  return tasks;
}

std::vector<std::uint64_t> tasks_by_thread(task_runner& runner, const flat_job& job,
                                           std::size_t threads) {
  thread_census::begin();
  runner.flat(job);
  std::vector<std::uint64_t> counts = thread_census::counts();
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) {
    sum += count;
  }
  if (sum != job.tasks()) {
    throw wrong_result(std::to_string(sum) + " tasks ran, not " + std::to_string(job.tasks()));
  }
  if (counts.size() > threads) {
    throw wrong_result("tasks ran on " + std::to_string(counts.size()) + " threads, not " +
                       std::to_string(threads));
  }
  counts.resize(threads);  // those that ran none
  return counts;
}

// The share of the tasks that ran on other threads than the busiest one. Where there are others,
// loops are tried until one has had a task, for a while.
double offloaded_share(task_runner& runner, const flat_job& job, std::size_t threads) {
  const auto end = std::chrono::steady_clock::now() + kCensusTime;
  std::uint64_t elsewhere = 0;
  do {
    const std::vector<std::uint64_t> counts = tasks_by_thread(runner, job, threads);
    elsewhere = job.tasks() - *std::ranges::max_element(counts);
  } while (elsewhere == 0 && threads > 1 && std::chrono::steady_clock::now() < end);
  return static_cast<double>(elsewhere) / static_cast<double>(job.tasks());
}

template <class Work>
json measured(const flat_plan& plan, std::size_t threads, task_runner& runner, const Work& work) {
  require_each_once(plan, runner);
  const std::uint64_t each =
      plan.tasks_each != 0 ? plan.tasks_each : fitting_tasks(runner, work, plan);
  const counted<Work> counted_work{work};
  const flat_job job = job_of(work, plan, each);
  const flat_job counted_job = job_of(counted_work, plan, each);
  std::vector<double> ns;
  std::vector<std::vector<std::uint64_t>> counts;
  timed_ns(runner, job);  // the caches are warm, the memory is there
  for (int batch = 0; batch < plan.batches; ++batch) {
    if (plan.by_thread) {
      const auto start = std::chrono::steady_clock::now();
      counts.push_back(tasks_by_thread(runner, counted_job, threads));
      const auto end = std::chrono::steady_clock::now();
      ns.push_back(std::chrono::duration<double, std::nano>(end - start).count());
    } else {
      ns.push_back(timed_ns(runner, job));
    }
  }
  const double share = offloaded_share(runner, counted_job, threads);
  json line{{"producers", plan.producers}, {"tasks", job.tasks()}, {"wall_ns", ns}};
  if (plan.by_thread) {
    line["tasks_by_thread"] = counts;
  }
  line["offloaded_share"] = share;
  line["cpus"] = thread_census::cpus();
  return line;
}

}  // namespace

void add_flat_options(CLI::App& command, flat_plan& plan) {
  command.add_option("--producers", plan.producers, "Threads that spawn")
      ->check(CLI::Range(1, 1024));
  command.add_option("--tasks", plan.tasks_each, "Tasks of each (else as --batch-ms has it)");
  auto* const delay = command.add_option("--delay-ns", plan.delay_ns, "Tasks of this length");
  delay->check(CLI::NonNegativeNumber);
  command
      .add_option("--spin-steps-per-us", plan.spin_steps_per_us, "What `calibrate` has measured")
      ->check(CLI::PositiveNumber);
  command.add_option("--max-load", plan.max_load, "Tasks of 0 to so many turns of a loop")
      ->excludes(delay);
  command.add_flag("--by-thread", plan.by_thread, "Count the tasks of each batch by thread");
}

json measure_flat(const flat_plan& plan, std::size_t threads, task_runner& runner) {
  if (plan.producers > threads) {
    throw wrong_arguments("there are more producers than threads");
  }
  if (!plan.delay_ns) {
    return measured(plan, threads, runner, loop_work{plan.max_load});
  }
  if (*plan.delay_ns > 0 && plan.spin_steps_per_us <= 0) {
    throw wrong_arguments("--delay-ns needs --spin-steps-per-us");
  }
  const double steps = *plan.delay_ns * plan.spin_steps_per_us / 1000;
  return measured(plan, threads, runner,
                  delay_work{static_cast<std::uint64_t>(std::llround(steps))});
}

}  // namespace fg::bench
