// SPDX-License-Identifier: Apache-2.0
#include "programs/loops/loops_process.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "programs/frame/program.hpp"

namespace fg::bench {
namespace {

struct loops_options {
  std::string calls;
  double element_ns = 20;
  double batch_us = 500;
  std::int64_t warmup_ms = 10;
  cpu_pair_option cpus;
  loop_plan plan{.elements = 1000, .batches = 3};  // steps 0: as measured at the start

  void add_to(options& app, const std::vector<std::string>& known_calls) {
    calls = known_calls.front();
    app.add("--elements", plan.elements, "Of a loop")
        .in_range(std::size_t{1}, std::size_t{100'000'000});
    app.add("--element-ns", element_ns, "What one takes in a serial loop").number_in(0.1, 1e6);
    app.add("--steps", plan.steps, "The steps of an element (else measured first)")
        .in_range(1, 100'000'000);
    app.add("--calls", calls, "From where the loops are called").one_of(known_calls);
    app.add("--batches", plan.batches, "Timed batches").in_range(1, 10'000);
    app.add("--batch-us", batch_us, "The serial time of a batch, at least").number_in(1, 1e7);
    app.add("--warmup-ms", warmup_ms, "Batches before those").in_range(0, 10'000);
    cpus.add_to(app);
  }

  void complete_plan() {
    if (plan.steps == 0) {
      plan.steps = steps_of_element(element_ns);
    }
    const double loop_us = static_cast<double>(plan.elements) * element_ns / 1000;
    plan.loops = static_cast<std::uint64_t>(std::max(1.0, std::ceil(batch_us / loop_us)));
    plan.warmup = std::chrono::milliseconds{warmup_ms};
  }
};

}  // namespace

int loops_main(int argc, char** argv, const loops_runtime& runtime) {
  options app{"A loop over " + runtime.name + ", again and again"};
  loops_options asked;
  asked.add_to(app, runtime.calls);
  const std::string program = "loops-" + runtime.name;
  return run_program(program.c_str(), app, argc, argv, [&]() -> nlohmann::ordered_json {
    asked.complete_plan();
    timed_loops loops{asked.plan};
    runtime.measure({.main = asked.cpus.main(), .assistant = asked.cpus.assistant()}, asked.calls,
                    loops);
    const loop_result& result = loops.result();
    return {{"runtime", runtime.name},         {"calls", asked.calls},
            {"elements", asked.plan.elements}, {"element_ns", asked.element_ns},
            {"steps", asked.plan.steps},       {"ns", result.ns},
            {"elsewhere", result.elsewhere},   {"cpus", result.cpus},
            {"version", runtime.version},      {"note", ""}};
  });
}

}  // namespace fg::bench
