// The process around a runtime's fib: see bench/README.md.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "micro/micro_program.hpp"
#include "micro/spawn/flat_case.hpp"
#include "micro/spawn/leaves.hpp"
#include "micro/spawn/spawn_runtime.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

// A tree of less takes microseconds on any runtime, one of more takes minutes.
constexpr int kLeastN = 10;
constexpr int kGreatestN = 50;
// A busy host may keep the other threads out of several trees.
constexpr std::chrono::milliseconds kCensusTime{500};

struct plan {
  spawn_setup setup;
  std::optional<flat_plan> flat{};  // nothing: fib
  int threads = 1;
  int n = 0;  // 0: as large as a batch takes batch_ms
  int batches = 5;
  int batch_ms = 30;
};

// fib, by the definition's own sum.
std::uint64_t known_fib(int n) {
  std::uint64_t current = 0;
  std::uint64_t next = 1;
  for (int i = 0; i < n; ++i) {
    current = std::exchange(next, current + next);
  }
  return current;
}

// Calls with n >= 2, each of which spawns one task: one less than the leaves of the tree.
std::uint64_t spawns_of(int n) { return known_fib(n + 1) - 1; }

double timed_ns(task_runner& runner, int n) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t value = runner.fib(n);
  const auto end = std::chrono::steady_clock::now();
  if (value != known_fib(n)) {
    throw wrong_result("fib(" + std::to_string(n) + ") is " + std::to_string(known_fib(n)) +
                       ", not " + std::to_string(value));
  }
  return std::chrono::duration<double, std::nano>(end - start).count();
}

double ns_per_spawn(task_runner& runner, int n) {
  const std::uint64_t before = runner.spawns_beside();
  const double ns = timed_ns(runner, n);
  const std::uint64_t beside = runner.spawns_beside() - before;
  return ns / static_cast<double>(spawns_of(n) + beside);
}

// The least n whose tree takes the time of a batch. Of two runs the shorter one counts: in one the
// threads may have had to wake up.
int fitting_n(task_runner& runner, int batch_ms) {
  const double wanted_ns = 1e6 * batch_ms;
  int n = kLeastN;
  while (n < kGreatestN) {
    const double first_ns = timed_ns(runner, n);
    if (std::min(first_ns, timed_ns(runner, n)) >= wanted_ns) {
      break;
    }
    ++n;
  }
  return n;
}

// The share of the leaves that ran on other threads than the root's. Where there are such threads,
// trees are tried until one has had a leaf, for a while.
double offloaded_share(task_runner& runner, int n, int threads) {
  const std::uint64_t leaves = spawns_of(n) + 1;
  const bool others = threads > 1 && runner.spawns_beside() == 0;
  const auto end = std::chrono::steady_clock::now() + kCensusTime;
  std::uint64_t elsewhere = 0;
  do {
    elsewhere = runner.leaves_elsewhere(n);
  } while (elsewhere == 0 && others && std::chrono::steady_clock::now() < end);
  if (elsewhere > leaves) {
    throw wrong_result(std::to_string(elsewhere) + " of " + std::to_string(leaves) +
                       " leaves ran elsewhere");
  }
  return static_cast<double>(elsewhere) / static_cast<double>(leaves);
}

json measure_fib(const plan& plan, task_runner& runner) {
  const int n = plan.n != 0 ? plan.n : fitting_n(runner, plan.batch_ms);
  timed_ns(runner, n);  // the result is right, and the caches are warm
  std::vector<double> ns;
  ns.reserve(static_cast<std::size_t>(plan.batches));
  for (int batch = 0; batch < plan.batches; ++batch) {
    ns.push_back(ns_per_spawn(runner, n));
  }
  const double share = offloaded_share(runner, n, plan.threads);
  return {{"n", n},
          {"spawns", spawns_of(n)},
          {"ns", ns},
          {"offloaded_share", share},
          {"cpus", leaf_census::cpus()}};
}

json line_of(const spawn_runtime& runtime, const plan& plan, task_runner& runner) {
  const std::string& policy = plan.setup.policy;
  json line{{"runtime", policy.empty() ? runtime.name : runtime.name + "-" + policy},
            {"threads", plan.threads}};
  line.update(plan.flat ? measure_flat(*plan.flat, plan.setup.cpus.size(), runner)
                        : measure_fib(plan, runner));
  line.update({{"version", runtime.version}, {"note", ""}});
  return line;
}

json measure_in_session(const spawn_runtime& runtime, plan& plan) {
  std::vector<int>& cpus = plan.setup.cpus;
  const auto threads = static_cast<std::size_t>(plan.threads);
  if (cpus.size() < threads) {
    throw wrong_arguments("--cpus names too few CPUs for " + std::to_string(threads) + " threads");
  }
  cpus.resize(threads);
  std::string& policy = plan.setup.policy;
  if (policy.empty() && !runtime.policies.empty()) {
    policy = runtime.policies.front();
  }
  if (!policy.empty() && std::ranges::find(runtime.policies, policy) == runtime.policies.end()) {
    throw wrong_arguments(runtime.name + " has no policy '" + policy + "'");
  }
  json line;
  runtime.session(plan.setup, [&](task_runner& runner) { line = line_of(runtime, plan, runner); });
  return line;
}

}  // namespace

int spawn_main(const spawn_runtime& runtime, int argc, char** argv) {
  CLI::App app{"fib without cutoff: wall time per spawn; with `flat`, of a loop of tasks"};
  plan plan{.setup = {.cpus = {0, 1}, .policy = {}}};
  bool list = false;
  app.add_flag("--list", list, "Name the policies");
  app.add_option("--policy", plan.setup.policy, "One of --list");
  app.add_option("--threads", plan.threads, "Threads")->check(CLI::Range(1, 1024));
  app.add_option("--cpus", plan.setup.cpus, "MAIN,OTHER,…, at least one a thread")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  app.add_option("--n", plan.n, "fib of what (else as --batch-ms has it)")
      ->check(CLI::Range(2, kGreatestN));
  app.add_option("--batch-ms", plan.batch_ms, "The least time of a batch")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--batches", plan.batches, "Timed batches")->check(CLI::Range(1, 10'000));
  flat_plan flat;
  CLI::App* const flat_command =
      app.add_subcommand("flat", "Tasks that do not spawn")->fallthrough();
  add_flat_options(*flat_command, flat);
  const std::string program = "spawn-" + runtime.name;
  return run_program(program.c_str(), app, argc, argv, [&]() -> json {
    if (*flat_command) {
      flat.batches = plan.batches;
      flat.batch_ms = plan.batch_ms;
      plan.flat = flat;
    }
    if (list) {
      return {{"runtime", runtime.name}, {"policies", runtime.policies}};
    }
    return measure_in_session(runtime, plan);
  });
}

}  // namespace fg::bench
