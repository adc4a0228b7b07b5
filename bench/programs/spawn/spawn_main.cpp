// The process around a runtime: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "programs/frame/program.hpp"
#include "programs/spawn/cases/spawn_case.hpp"
#include "programs/spawn/deep_stacks.hpp"
#include "programs/spawn/process_malloc.hpp"
#include "programs/spawn/spawn_runtime.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

struct request {
  spawn_setup setup{.cpus = {0, 1}, .policy = {}, .queue_capacity = 0, .beside = {}};
  batch_plan batches;
  bool list = false;
  bool usual_stacks = false;
};

void add_options(options& app, request& asked) {
  app.add_flag("--list", asked.list, "Name the policies");
  app.add_flag("--usual-stacks", asked.usual_stacks,
               "Leave stacks as the system has them (else made for deep trees)");
  app.add("--policy", asked.setup.policy, "One of --list");
  app.add("--queue-capacity", asked.setup.queue_capacity,
          "Tasks that a bounded queue holds (else as the runtime has it)")
      .in_range(1, 1 << 30);
  app.add("--threads", asked.batches.threads, "Threads").in_range(1, 1024);
  app.add("--cpus", asked.setup.cpus, "MAIN,OTHER,…, at least one a thread")
      .comma_separated()
      .non_negative();
  app.add_flag("--untied{false}", asked.setup.tied, "Leave the threads' CPUs to the system");
  app.add("--batch-ms", asked.batches.batch_ms, "The least time of a batch").in_range(1, 10'000);
  app.add("--batches", asked.batches.batches, "Timed batches").in_range(1, 10'000);
}

std::string full_name(const spawn_runtime& runtime, const request& asked) {
  const std::string& policy = asked.setup.policy;
  return policy.empty() ? runtime.name : runtime.name + "-" + policy;
}

// The requested setup, completed: as many CPUs as threads, and a policy if the runtime has any.
void settle(const spawn_runtime& runtime, request& asked) {
  std::vector<int>& cpus = asked.setup.cpus;
  const std::size_t threads = asked.batches.threads;
  if (cpus.size() < threads) {
    throw wrong_arguments("--cpus names too few CPUs for " + std::to_string(threads) + " threads");
  }
  cpus.resize(threads);
  std::string& policy = asked.setup.policy;
  if (policy.empty() && !runtime.policies.empty()) {
    policy = runtime.policies.front();
  }
  if (!policy.empty() && std::ranges::find(runtime.policies, policy) == runtime.policies.end()) {
    throw wrong_arguments(runtime.name + " has no policy '" + policy + "'");
  }
  if (asked.setup.queue_capacity != 0 &&
      (!runtime.sets_queue_capacity || !runtime.sets_queue_capacity(policy))) {
    throw wrong_arguments("the capacity of the queues of " + full_name(runtime, asked) +
                          " can not be set");
  }
}

json measure(const spawn_runtime& runtime, request& asked, const spawn_case& chosen) {
  settle(runtime, asked);
  chosen.require_sense(asked.batches);
  asked.setup.beside = chosen.unit();
  json line{{"runtime", full_name(runtime, asked)}, {"threads", asked.batches.threads}};
  std::string note;
  runtime.session(asked.setup, [&](task_runner& runner) {
    line.update(chosen.measure(asked.batches, runner));
    note = runner.note();
  });
  line.update({{"allocator", allocator_in_use()}, {"version", runtime.version}, {"note", note}});
  return line;
}

}  // namespace

int spawn_main(const spawn_runtime& runtime, int argc, char** argv) {
  keep_freed_memory();
  options app{"What a task costs"};
  request asked;
  add_options(app, asked);
  std::vector<std::pair<std::unique_ptr<spawn_case>, options>> cases;
  for (const auto make : {make_fib_case, make_tree_case, make_flat_case, make_uts_case,
                          make_bots_case, make_cholesky_case, make_syrk_case}) {
    std::unique_ptr<spawn_case> made = make();
    const options command = made->add_to(app);
    cases.emplace_back(std::move(made), command);
  }
  const std::string program = "spawn-" + runtime.name;
  return run_program(program.c_str(), app, argc, argv, [&]() -> json {
    if (asked.list) {
      return {{"runtime", runtime.name}, {"policies", runtime.policies}};
    }
    if (!asked.usual_stacks) {
      allow_deep_stacks();
    }
    for (const auto& [each, command] : cases) {
      if (command.is_named()) {
        return measure(runtime, asked, *each);
      }
    }
    throw wrong_arguments("say what to measure: fib, tree, flat, uts, bots, cholesky or syrk");
  });
}

}  // namespace fg::bench
