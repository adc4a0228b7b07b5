// SPDX-License-Identifier: Apache-2.0
#include "programs/periodic/periodic_process.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/kernel.hpp"
#include "programs/frame/program.hpp"

namespace fg::bench {
namespace {

struct periodic_options {
  std::int64_t period_us = 2000;
  double jitter_percent = 1;
  double work_us = 16;
  double spin_steps_per_us = 0;  // 0: as measured at the start
  std::string waits;
  cpu_pair_option cpus;
  periodic_plan plan;

  void add_to(options& app, const std::vector<std::string>& known_waits) {
    waits = known_waits.front();
    app.add("--period-us", period_us, "From tick to tick").in_range(1, 10'000'000);
    app.add("--jitter-percent", jitter_percent,
            "How early or late a tick may be, in percent of the period")
        .number_in(0, 49);
    app.add("--work-us", work_us, "Work of an answer, both halves").number_in(0.01, 1e6);
    app.add("--answers", plan.answers, "Timed answers").in_range(1, 10'000'000);
    app.add("--warmup", plan.warmup, "Ticks before those").in_range(0, 10'000'000);
    app.add("--seed", plan.seed, "Of the jitter");
    app.add("--waits", waits, "How the runtime's thread waits for the next tick")
        .one_of(known_waits);
    app.add("--spin-steps-per-us", spin_steps_per_us, "What `calibrate` printed").spin_rate();
    cpus.add_to(app);
  }

  void complete_plan() {
    if (spin_steps_per_us == 0) {
      spin_steps_per_us = calibrate_spin_steps_per_us();
    }
    const double steps = std::round(spin_steps_per_us * work_us / 2);
    plan.half_steps = static_cast<std::uint64_t>(std::max(1.0, steps));
    plan.period = std::chrono::microseconds{period_us};
    plan.jitter = jitter_percent / 100;
    plan.cpus = {.main = cpus.main(), .assistant = cpus.assistant()};
  }
};

}  // namespace

int run_periodic_process(int argc, char** argv, const periodic_runtime& runtime) {
  options app{"Answers to ticks over " + runtime.name + ", each of two halves"};
  periodic_options asked;
  asked.add_to(app, runtime.waits);
  const std::string program = "periodic-" + runtime.name;
  return run_program(program.c_str(), app, argc, argv, [&]() -> nlohmann::ordered_json {
    asked.complete_plan();
    periodic_answers answers{asked.plan};
    runtime.measure(asked.plan.cpus, asked.waits, answers);
    const periodic_result& result = answers.result();
    return {{"runtime", runtime.name},       {"waits", asked.waits},
            {"period_us", asked.period_us},  {"jitter_percent", asked.jitter_percent},
            {"work_us", asked.work_us},      {"ns", result.ns},
            {"missed", result.missed},       {"burned_share", result.burned_share},
            {"elsewhere", result.elsewhere}, {"work_ns", result.work_ns},
            {"main_cpu", result.main_cpu},   {"task_cpus", result.task_cpus},
            {"version", runtime.version},    {"note", ""}};
  });
}

}  // namespace fg::bench
