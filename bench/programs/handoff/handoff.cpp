// handoff --list, or --runtime NAME --policy POLICY --case CASE …: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "programs/frame/program.hpp"
#include "programs/handoff/burst_case.hpp"
#include "programs/handoff/entries.hpp"

namespace {

using fg::bench::handoff_entry;
using json = nlohmann::ordered_json;

json list_runtimes() {
  json runtimes = json::array();
  for (const handoff_entry& entry : fg::bench::handoff_entries()) {
    std::vector<std::string> policies;
    for (const handoff_entry::form& form : entry.forms) {
      if (form.supported) {
        policies.emplace_back(form.policy);
      }
    }
    json line = {{"name", entry.name},
                 {"policies", policies},
                 {"carries_tasks", entry.carries_tasks},
                 {"version", entry.version},
                 {"note", ""}};
    if (policies.empty()) {
      line["how_to_get"] = entry.how_to_get;
    }
    runtimes.push_back(std::move(line));
  }
  return {{"runtimes", runtimes}};
}

struct request {
  std::string runtime;
  std::string policy;
  std::string case_name = "empty";
  fg::bench::handoff_plan plan;
};

handoff_entry::form form_of(const handoff_entry& entry, const request& asked) {
  for (const handoff_entry::form& form : entry.forms) {
    if (form.policy == asked.policy) {
      if (!form.supported) {
        throw fg::bench::wrong_arguments("this processor does not have " + asked.policy);
      }
      return form;
    }
  }
  throw fg::bench::wrong_arguments(entry.forms.empty()
                                       ? asked.runtime + " is not installed: " + entry.how_to_get
                                       : asked.runtime + " has no policy '" + asked.policy + "'");
}

// What measures the asked case, and the case in the plan. Throws wrong_arguments.
fg::bench::handoff_measure measure_of(const handoff_entry& entry, request& asked) {
  const handoff_entry::form form = form_of(entry, asked);
  if (const std::optional<std::size_t> burst = fg::bench::parse_burst_case(asked.case_name);
      burst && (*burst == 1 || entry.carries_tasks)) {
    asked.plan.burst = *burst;
    return form.measure;
  }
  for (const handoff_entry::value_case& one : form.with_values) {
    if (asked.case_name == one.name) {
      return one.measure;
    }
  }
  throw fg::bench::wrong_arguments(asked.runtime + " has no case '" + asked.case_name + "'");
}

json measure(request asked, int main_cpu) {
  const std::vector<handoff_entry> entries = fg::bench::handoff_entries();
  const auto entry = std::ranges::find(entries, asked.runtime, &handoff_entry::name);
  if (entry == entries.end()) {
    throw fg::bench::wrong_arguments("there is no runtime '" + asked.runtime + "'");
  }
  const fg::bench::handoff_measure measure = measure_of(*entry, asked);
  fg::bench::require_cpu(main_cpu);
  const fg::bench::handoff_sample sample = measure(asked.plan);
  return {{"runtime", asked.runtime},
          {"policy", asked.policy},
          {"case", asked.case_name},
          {"ns", sample.ns},
          {"main_cpu", fg::current_cpu()},
          {"task_cpus", {sample.assistant_cpu}},
          {"note", ""}};
}

}  // namespace

int main(int argc, char** argv) {
  fg::bench::options app{"What handing a task to another thread costs"};
  fg::bench::cpu_pair_option cpus;
  request asked;
  bool list = false;
  cpus.add_to(app);
  app.add_flag("--list", list, "Say who takes part");
  app.add("--runtime", asked.runtime, "One of --list");
  app.add("--policy", asked.policy, "One of its policies");
  app.add("--case", asked.case_name, "empty, burst-N, value-in, …: see bench/README.md");
  app.add("--batches", asked.plan.batches, "Numbers to print").positive();
  app.add("--round-trips", asked.plan.tasks, "Tasks a batch").positive();
  return fg::bench::run_program("handoff", app, argc, argv, [&] {
    asked.plan.assistant_cpu = cpus.assistant();
    return list ? list_runtimes() : measure(asked, cpus.main());
  });
}
