// SPDX-License-Identifier: Apache-2.0
#include "programs/pipeline/pipeline_process.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>

#include "kernels/kernel.hpp"
#include "programs/frame/program.hpp"

namespace fg::bench {
namespace {

constexpr double kEmptyTokenNs = 5;  // beside its work: for the length of a run

struct pipeline_options {
  std::string line;
  double token_ns = 0;
  double spin_steps_per_us = 0;  // 0: as measured at the start
  double batch_us = 500;
  std::int64_t warmup_ms = 10;
  cpu_pair_option cpus;
  token_plan plan{.runs = 3};

  void add_to(options& app) {
    app.add("--line", line, "Its stages").required().one_of(token_lines());
    app.add("--token-ns", token_ns, "What a token takes in all stages").number_in(0, 1e6);
    app.add("--spin-steps-per-us", spin_steps_per_us, "What `calibrate` printed").spin_rate();
    app.add("--batches", plan.runs, "Timed runs").in_range(1, 10'000);
    app.add("--batch-us", batch_us, "The serial time of a run, at least").number_in(1, 1e7);
    app.add("--warmup-ms", warmup_ms, "Runs before those").in_range(0, 10'000);
    cpus.add_to(app);
  }

  void complete_plan() {
    if (token_ns != 0 && spin_steps_per_us == 0) {
      spin_steps_per_us = calibrate_spin_steps_per_us();
    }
    plan.tokens =
        static_cast<std::uint64_t>(std::ceil(1000 * batch_us / (token_ns + kEmptyTokenNs)));
    plan.warmup = std::chrono::milliseconds{warmup_ms};
  }
};

token_result measured(const pipeline_runtime& runtime, const pipeline_options& asked) {
  token_stages stages{asked.line, asked.spin_steps_per_us * asked.token_ns / 1000};
  token_result result;
  std::exception_ptr failure;  // no runtime need pass it on
  runtime.session({.main = asked.cpus.main(), .assistant = asked.cpus.assistant()}, stages,
                  [&](const run_tokens& run) {
                    try {
                      result = timed_runs(asked.plan, stages, run);
                    } catch (...) {
                      failure = std::current_exception();
                    }
                  });
  if (failure) {
    std::rethrow_exception(failure);
  }
  return result;
}

}  // namespace

int pipeline_main(int argc, char** argv, const pipeline_runtime& runtime) {
  options app{"A pipeline over " + runtime.name + ", run again and again"};
  pipeline_options asked;
  asked.add_to(app);
  const std::string program = "pipeline-" + runtime.name;
  return run_program(program.c_str(), app, argc, argv, [&]() -> nlohmann::ordered_json {
    asked.complete_plan();
    const token_result result = measured(runtime, asked);
    return {{"runtime", runtime.name},
            {"line", asked.line},
            {"token_ns", asked.token_ns},
            {"tokens", asked.plan.tokens},
            {"ns", result.ns},
            {"elsewhere", result.elsewhere},
            {"cpus", result.cpus},
            {"version", runtime.version},
            {"note", ""}};
  });
}

}  // namespace fg::bench
