// The flat loop: the work of its tasks, and how it is checked, timed and counted.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/host/text_file.hpp"
#include "programs/frame/counts_by_thread.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/frame/thread_census.hpp"
#include "programs/spawn/cases/census_line.hpp"
#include "programs/spawn/cases/flat_work.hpp"
#include "programs/spawn/cases/spawn_case.hpp"
#include "programs/spawn/workloads/flat_job.hpp"
#include "programs/spawn/workloads/serial_forms.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

constexpr std::uint64_t kLeastTasks = 1000;
constexpr std::uint64_t kMostTasks = 100'000'000;

struct flat_plan {
  std::size_t producers = 1;
  std::uint64_t tasks_each = 0;  // 0: chosen by the time of a batch
  bool by_thread = false;        // count each batch's tasks by thread, at about 1 ns per task

  // A task runs the spin kernel for this many nanoseconds, at this many steps per microsecond …
  std::optional<double> delay_ns;
  double spin_steps_per_us = 0;
  // … or the many-tasking paper's work unit, of this many iterations, or of those in a list …
  std::optional<std::uint64_t> iterations;
  std::vector<std::uint64_t> listed;  // by task
  // … or a loop of 0 to this many turns.
  std::uint64_t max_load = 0;

  // Tasks that the first producer spawns before its own, each a delay of this many nanoseconds.
  std::uint64_t long_tasks = 0;
  double long_ns = 0;

  [[nodiscard]] std::uint64_t steps_of(double ns) const {
    return static_cast<std::uint64_t>(std::llround(ns * spin_steps_per_us / 1000));
  }
  // Approximate mean time of a short task: a turn takes 0.27 ns (EPYC 9004), an iteration 2.5
  // (Xeon).
  [[nodiscard]] double short_ns() const {
    constexpr double kIterationNs = 2.5;
    if (!listed.empty()) {
      return kIterationNs * std::accumulate(listed.begin(), listed.end(), 0.0) /
             static_cast<double>(listed.size());
    }
    if (iterations) {
      return kIterationNs * static_cast<double>(*iterations);
    }
    return delay_ns.value_or(0.27 * static_cast<double>(max_load) / 2);
  }
};

template <class Work>
flat_job job_of(const Work& work, const flat_plan& plan, std::uint64_t tasks_each) {
  return {.producers = plan.producers,
          .tasks_each = tasks_each,
          .ahead = plan.long_tasks,
          .work = [](const void* context,
                     std::uint64_t index) { (*static_cast<const Work*>(context))(index); },
          .context = &work};
}

// Calls `use` with the work of the plan.
template <class Use>
auto with_work(const flat_plan& plan, const Use& use) {
  const auto with_short = [&](const auto& work) {
    if (plan.long_tasks == 0) {
      return use(work);
    }
    return use(with_long_ahead{plan.long_tasks, {plan.steps_of(plan.long_ns)}, work});
  };
  if (!plan.listed.empty()) {
    return with_short(listed_work{&plan.listed});
  }
  if (plan.iterations) {
    return with_short(unit_work{*plan.iterations});
  }
  return plan.delay_ns ? with_short(delay_work{plan.steps_of(*plan.delay_ns)})
                       : with_short(loop_work{plan.max_load});
}

// Integers separated by white space.
std::vector<std::uint64_t> numbers_in(const std::string& path) {
  std::ifstream file{path};
  std::vector<std::uint64_t> numbers;
  for (std::string word; file >> word;) {
    const std::optional<std::uint64_t> number = fg::detail::parse_integer<std::uint64_t>(word);
    if (!number) {
      throw wrong_arguments("--iterations-from: '" + word + "' is no number");
    }
    numbers.push_back(*number);
  }
  if (numbers.empty()) {
    throw wrong_arguments("--iterations-from: no numbers in " + path);
  }
  return numbers;
}

// ---- checking, timing, counting ----

void require_each_once(const flat_plan& plan, task_runner& runner) {
  std::vector<atomic<std::uint8_t>> marks(plan.long_tasks + plan.producers * kLeastTasks);
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
  const auto run = [&] {
    runner.flat(job);
    return 0;
  };
  return checked_ns(run, [](int) {});
}

template <class Work>
json measured(const flat_plan& plan, const batch_plan& batches, task_runner& runner,
              const Work& work) {
  require_each_once(plan, runner);
  const auto batch_of = [&](std::uint64_t each) {
    return timed_ns(runner, job_of(work, plan, each));
  };
  const auto twice = [](std::uint64_t tasks) { return 2 * tasks; };
  const std::uint64_t each = plan.tasks_each != 0
                                 ? plan.tasks_each
                                 : fitting_size(batches, kLeastTasks, kMostTasks, twice, batch_of);
  const counted_work<Work> counted{work};
  const flat_job counted_job = job_of(counted, plan, each);
  const std::uint64_t tasks = counted_job.tasks();
  std::vector<std::vector<std::uint64_t>> counts;  // by thread, for each batch
  const auto counted_batch = [&] {
    thread_census::begin();
    const double ns = timed_ns(runner, counted_job);
    counts.push_back(counts_by_thread(tasks, batches.threads));
    return ns;
  };
  json line{{"producers", plan.producers}, {"tasks", tasks}};
  if (plan.by_thread) {
    line["ns"] = ns_per_task(batches, runner, tasks, counted_batch);
    counts.erase(counts.begin());  // of the untimed batch
  } else {
    line["ns"] = ns_per_task(batches, runner, tasks, [&] { return batch_of(each); });
  }
  line.update(census_line(batches, runner, tasks, [&] { runner.flat(counted_job); }));
  if (plan.by_thread) {
    line["tasks_by_thread"] = counts;
  }
  return line;
}

// Runs tasks of the job one after the other, about 10 us of them at a time, and from the start
// again: so that over a batch the long ones have their share.
template <class Work>
unit_of_work unit_of(const flat_plan& plan, const Work& work) {
  constexpr double kUnitNs = 10'000;
  const auto slice = static_cast<std::uint64_t>(kUnitNs / (1 + plan.short_ns())) + 1;
  const std::uint64_t each = plan.tasks_each != 0 ? plan.tasks_each : kMostTasks;
  return [=, next = std::uint64_t{0}](work_counter& counter) mutable {
    const flat_job job = job_of(work, plan, each);
    const std::uint64_t end =
        next < plan.long_tasks ? next + 1 : std::min(next + slice, job.tasks());
    call_tasks(job, next, end);
    counter.add(end - next);
    next = end == job.tasks() ? 0 : end;
  };
}

class flat_case final : public spawn_case {
 public:
  options add_to(options& app) override {
    options command = app.add_subcommand("flat", "Tasks that do not spawn: wall time per task");
    command.add("--producers", plan_.producers, "Threads that spawn").in_range(1, 1024);
    command.add("--tasks", plan_.tasks_each, "Tasks of each (else as --batch-ms has it)")
        .in_range(std::uint64_t{0}, kMostTasks);
    const option delay =
        command.add("--delay-ns", plan_.delay_ns, "Tasks of this length").task_length_ns();
    command.add("--spin-steps-per-us", plan_.spin_steps_per_us, "What `calibrate` has measured")
        .spin_rate();
    const option load =
        command.add("--max-load", plan_.max_load, "Tasks of 0 to so many turns of a loop")
            .excludes(delay);
    option iterations = command.add("--iterations", plan_.iterations,
                                    "Tasks of so many of the many-tasking paper's iterations");
    iterations.excludes(delay).excludes(load);
    command
        .add_function(
            "--iterations-from",
            [this](const std::string& path) { plan_.listed = numbers_in(path); },
            "The same, as many as this file has them, by task")
        .existing_file()
        .excludes(delay)
        .excludes(load)
        .excludes(iterations);
    option long_tasks =
        command.add("--long-tasks", plan_.long_tasks, "Tasks that one spawns ahead");
    const option long_ns =
        command.add("--long-ns", plan_.long_ns, "Their length").task_length_ns().needs(long_tasks);
    long_tasks.needs(long_ns).in_range(1, 1'000'000);
    command.add_flag("--by-thread", plan_.by_thread, "Count the tasks of each batch by thread");
    return command;
  }

  void require_sense(const batch_plan& batches) const override {
    if (plan_.producers > batches.threads) {
      throw wrong_arguments("there are more producers than threads");
    }
    if (plan_.delay_ns.value_or(0) > 0 && plan_.spin_steps_per_us <= 0) {
      throw wrong_arguments("--delay-ns needs --spin-steps-per-us");
    }
    if (plan_.long_tasks > 0 && plan_.spin_steps_per_us <= 0) {
      throw wrong_arguments("--long-tasks needs --spin-steps-per-us");
    }
    if (!plan_.listed.empty() && (plan_.tasks_each == 0 || plan_.long_tasks > 0)) {
      throw wrong_arguments("--iterations-from needs --tasks, and goes with no --long-tasks");
    }
    if (!plan_.listed.empty() && plan_.listed.size() < plan_.producers * plan_.tasks_each) {
      throw wrong_arguments("--iterations-from has numbers for " +
                            std::to_string(plan_.listed.size()) + " tasks only");
    }
    if (plan_.long_tasks > 0 && plan_.tasks_each == 0) {
      throw wrong_arguments("--long-tasks needs --tasks: it says what they are mixed with");
    }
  }

  [[nodiscard]] unit_of_work unit() const override {
    return with_work(plan_, [this](const auto& work) { return unit_of(plan_, work); });
  }

  [[nodiscard]] json measure(const batch_plan& batches, task_runner& runner) const override {
    return with_work(plan_,
                     [&](const auto& work) { return measured(plan_, batches, runner, work); });
  }

 private:
  flat_plan plan_;
};

}  // namespace

std::unique_ptr<spawn_case> make_flat_case() { return std::make_unique<flat_case>(); }

}  // namespace fg::bench
