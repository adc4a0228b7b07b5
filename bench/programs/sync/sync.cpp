// sync --mechanism NAME --threads T …: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "programs/frame/program.hpp"
#include "programs/sync/cycle_json.hpp"
#include "programs/sync/measure.hpp"
#include "programs/sync/mechanisms.hpp"

namespace {

using fg::bench::sync_plan;
using fg::bench::sync_sample;
using json = nlohmann::ordered_json;

struct entry {
  const char* name;
  sync_sample (*measure)(const sync_plan&);
};

// In the order of the paper's Fig. 2.
constexpr std::array<entry, 4> kMechanisms{{
    {"mutex", &fg::bench::measure_sync<fg::bench::mutex_counter>},
    {"semaphore", &fg::bench::measure_sync<fg::bench::semaphore_counter>},
    {"spinlock", &fg::bench::measure_sync<fg::bench::spinlock_counter>},
    {"fetch-and-add", &fg::bench::measure_sync<fg::bench::fetch_add_counter>},
}};

json measure(const std::string& name, const sync_plan& plan) {
  const auto* const found = std::ranges::find(kMechanisms, name, &entry::name);
  if (found == kMechanisms.end()) {
    throw fg::bench::wrong_arguments("there is no mechanism '" + name + "'");
  }
  const sync_sample sample = found->measure(plan);
  json line = {{"mechanism", name},
               {"threads", plan.threads},
               {"pinned", plan.pinned()},
               {"operations", sample.operations}};
  line.update(fg::bench::cycle_json(sample.ticks));
  line.update({{"cpus", sample.cpus}, {"note", ""}});
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  fg::bench::options app{"What it costs threads to take turns at an integer"};
  sync_plan plan;
  std::string mechanism;
  app.add("--mechanism", mechanism, "mutex, semaphore, spinlock or fetch-and-add");
  app.add("--threads", plan.threads, "Threads").in_range(1, 1024);
  app.add("--cpus", plan.cpus, "A CPU a thread; of fewer, each thread may use all")
      .comma_separated()
      .non_negative();
  app.add("--operations", plan.operations, "Of a thread in a batch (else as --batch-ms has it)")
      .positive();
  app.add("--batch-ms", plan.batch_ms, "The least time of a batch").in_range(1, 10'000);
  app.add("--batches", plan.batches, "Timed batches").in_range(1, 10'000);
  return fg::bench::run_program("sync", app, argc, argv, [&] { return measure(mechanism, plan); });
}
