// SPDX-License-Identifier: Apache-2.0
#include "programs/relic_kernels/sample_process.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "programs/frame/program.hpp"

namespace fg::bench {

int run_sample_process(int argc, char** argv, const runtime_description& runtime) {
  options app{"One sample of the Relic experiment over " + runtime.name};
  sample_plan plan;
  kernel_options kernel;
  cpu_pair_option cpus;
  app.add("--case", plan.case_name, "bc bfs cc pr sssp tc json, or spin-<N><unit>").required();
  app.add("--iterations", plan.iterations, "Timed iterations").required().positive();
  app.add("--warmup", plan.warmup, "Iterations before the timed ones");
  app.add("--max-ms", plan.max_ms, "Ends the sample early after so many ms");
  app.add("--task-every-us", plan.task_every_us,
          "Times the case on the other thread's CPU instead, beside a task so often (0: one)");
  cpus.add_to(app);
  app.add("--spin-steps-per-us", kernel.spin_steps_per_us, "What `calibrate` printed")
      .non_negative();
  const std::string program = "relic-kernels-" + runtime.name;
  return run_program(program.c_str(), app, argc, argv, [&]() -> nlohmann::ordered_json {
    plan.cpus = {.main = cpus.main(), .assistant = cpus.assistant()};
    sample measured{plan, kernel};
    measured.check_before();
    runtime.measure(plan.cpus, measured);
    measured.check_after();
    const sample_result& result = measured.result();
    return {{"runtime", runtime.name},
            {"case", plan.case_name},
            {"iterations", result.iterations},
            {"ns", result.ns},
            {"offloaded_share", result.offloaded_share},
            {"main_cpu", result.main_cpu},
            {"task_cpus", result.task_cpus},
            {"version", runtime.version},
            {"note", ""}};
  });
}

}  // namespace fg::bench
