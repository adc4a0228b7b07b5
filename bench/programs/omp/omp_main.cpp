// SPDX-License-Identifier: Apache-2.0
#include "programs/omp/omp_main.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "programs/frame/counts_by_thread.hpp"
#include "programs/frame/program.hpp"
#include "programs/frame/thread_census.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

struct request {
  std::string name;
  std::optional<std::uint64_t> size;
  std::size_t threads = 1;
  int batches = 5;
  std::vector<int> cpus;
  std::optional<double> spin_steps_per_us;
};

void add_options(options& app, request& asked) {
  app.add("--case", asked.name, "What to run").required();
  app.add("--size", asked.size, "How much of it (else the case's own)");
  app.add("--threads", asked.threads, "As many as the runtime is set to").in_range(1, 1024);
  app.add("--batches", asked.batches, "Timed batches").in_range(1, 10'000);
  app.add("--cpus", asked.cpus, "MAIN,OTHER,…, at least one a thread")
      .comma_separated()
      .non_negative();
  app.add("--spin-steps-per-us", asked.spin_steps_per_us, "What `calibrate` has measured")
      .spin_rate();
}

const omp_case& case_for(const omp_program& program, const std::string& name) {
  const auto found = std::ranges::find(program.cases, name, &omp_case::name);
  if (found == program.cases.end()) {
    throw wrong_arguments("there is no case '" + name + "'");
  }
  if (program.is_serial && !found->has_serial_form) {
    throw wrong_arguments(name + " is nothing without a runtime");
  }
  return *found;
}

std::uint64_t size_for(const omp_case& chosen, const request& asked) {
  const std::uint64_t size = asked.size.value_or(chosen.default_size);
  if (size < chosen.least_size || size > chosen.greatest_size) {
    throw wrong_arguments("--size of " + asked.name + " is " + std::to_string(chosen.least_size) +
                          " to " + std::to_string(chosen.greatest_size));
  }
  return size;
}

// OpenMP's threads are on the CPUs of OMP_PLACES, which the runtime reads before `main`.
void settle_cpus(const omp_program& program, const request& asked) {
  if (asked.cpus.empty()) {
    return;
  }
  if (asked.cpus.size() < asked.threads) {
    throw wrong_arguments("--cpus names too few CPUs for " + std::to_string(asked.threads) +
                          " threads");
  }
  if (program.is_serial) {
    require_cpu(asked.cpus.front());
  }
}

void require_threads(const omp_program& program, std::size_t asked) {
  const std::size_t found = program.threads_of_a_region();
  if (found != asked) {
    throw std::runtime_error("threads of a region: " + std::to_string(found) + ", not " +
                             std::to_string(asked));
  }
}

double batch_ns(omp_kernel& kernel) {
  kernel.prepare();
  const double ns = kernel.run_ns();
  kernel.check();
  return ns;
}

std::vector<double> timed_batches(omp_kernel& kernel, int batches) {
  batch_ns(kernel);  // warm-up: the threads are started, and the memory is allocated
  std::vector<double> ns(static_cast<std::size_t>(batches));
  std::ranges::generate(ns, [&] { return batch_ns(kernel); });
  return ns;
}

std::vector<std::uint64_t> count_tasks(omp_kernel& kernel, std::size_t threads) {
  return count_run(kernel.counted(), threads, threads > 1, [&kernel] {
    kernel.prepare();
    kernel.run_counted();
    kernel.check();
  });
}

json measure(const omp_program& program, const request& asked) {
  const omp_case& chosen = case_for(program, asked.name);
  const std::uint64_t size = size_for(chosen, asked);
  settle_cpus(program, asked);
  const std::unique_ptr<omp_kernel> kernel = chosen.make(
      {.size = size, .threads = asked.threads, .spin_steps_per_us = asked.spin_steps_per_us});
  require_threads(program, asked.threads);
  const std::vector<double> ns = timed_batches(*kernel, asked.batches);
  const std::vector<std::uint64_t> counts = count_tasks(*kernel, asked.threads);
  return {{"runtime", program.runtime},
          {"case", asked.name},
          {"size", size},
          {"threads", asked.threads},
          {"tasks", kernel->tasks().value_or(sum_of(counts))},
          {"loops", kernel->loops()},
          {"ns", ns},
          {"offloaded_share", offloaded_share(counts)},
          {"cpus", thread_census::cpus()},
          {"version", program.version},
          {"note", ""}};
}

}  // namespace

int omp_main(const omp_program& program, int argc, char** argv) {
  options app{"What a program of OpenMP's tasks takes"};
  request asked;
  add_options(app, asked);
  const std::string name = "omp-" + program.runtime;
  return run_program(name.c_str(), app, argc, argv, [&] { return measure(program, asked); });
}

}  // namespace fg::bench
