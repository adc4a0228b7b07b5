// SPDX-License-Identifier: Apache-2.0
#include "programs/relic_kernels/sample_process.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "finegrain/core/errors.hpp"

namespace fg::bench {

namespace {

enum exit_status : int { kWhole = 0, kFailed = 1, kWrongArguments = 2, kWrongResult = 3 };

struct arguments {
  sample_plan plan;
  kernel_options kernel;
};

arguments parse(CLI::App& app, int argc, char** argv) {
  arguments parsed;
  std::vector<int> cpus{0, 1};
  app.add_option("--case", parsed.plan.case_name, "bc bfs cc pr sssp tc json, or spin-<N><unit>")
      ->required();
  app.add_option("--iterations", parsed.plan.iterations, "Timed iterations")
      ->required()
      ->check(CLI::PositiveNumber);
  app.add_option("--warmup", parsed.plan.warmup, "Iterations before the timed ones");
  app.add_option("--max-ms", parsed.plan.max_ms, "Ends the sample early after so many ms");
  app.add_option("--cpus", cpus, "MAIN,ASSISTANT")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::NonNegativeNumber);
  app.add_option("--spin-steps-per-us", parsed.kernel.spin_steps_per_us, "What `calibrate` printed")
      ->check(CLI::NonNegativeNumber);
  app.parse(argc, argv);
  parsed.plan.cpus = {.main = cpus.at(0), .assistant = cpus.at(1)};
  return parsed;
}

void print(const runtime_description& runtime, const std::string& case_name,
           const sample_result& result) {
  const nlohmann::ordered_json line = {{"runtime", runtime.name},
                                       {"case", case_name},
                                       {"iterations", result.iterations},
                                       {"ns", result.ns},
                                       {"offloaded_share", result.offloaded_share},
                                       {"main_cpu", result.main_cpu},
                                       {"task_cpus", result.task_cpus},
                                       {"version", runtime.version},
                                       {"note", ""}};
  std::puts(line.dump().c_str());
}

int fail(const runtime_description& runtime, const char* reason, exit_status status) noexcept {
  std::fprintf(stderr, "relic-kernels-%s: %s\n", runtime.name.c_str(),
               fg::detail::one_line(reason).c_str());
  return status;
}

}  // namespace

int run_sample_process(int argc, char** argv, const runtime_description& runtime) noexcept {
  try {
    CLI::App app{"One sample of the Relic experiment over " + runtime.name};
    try {
      const arguments arguments = parse(app, argc, argv);
      sample measured{arguments.plan, arguments.kernel};
      measured.check_before();
      runtime.measure(arguments.plan.cpus, measured);
      measured.check_after();
      print(runtime, arguments.plan.case_name, measured.result());
      return kWhole;
    } catch (const CLI::CallForHelp&) {
      std::fputs(app.help().c_str(), stdout);
      return kWhole;
    }
  } catch (const CLI::ParseError& error) {
    return fail(runtime, error.what(), kWrongArguments);
  } catch (const std::invalid_argument& error) {
    return fail(runtime, error.what(), kWrongArguments);
  } catch (const wrong_result& error) {
    return fail(runtime, error.what(), kWrongResult);
  } catch (const std::exception& error) {
    return fail(runtime, error.what(), kFailed);
  }
}

}  // namespace fg::bench
