// SPDX-License-Identifier: Apache-2.0
#include "programs/spawn/cases/uts_search.hpp"

#include <chrono>
#include <cstdint>
#include <string>

#include "finegrain/core/clock.hpp"
#include "programs/frame/program_errors.hpp"
#include "programs/spawn/cases/census_line.hpp"
#include "programs/spawn/workloads/serial_forms.hpp"
#include "programs/spawn/workloads/timeline.hpp"
#include "programs/spawn/workloads/uts_walks.hpp"

namespace fg::bench {

namespace {

using json = nlohmann::ordered_json;

// Busy stretches that are closer to each other are merged.
constexpr std::chrono::nanoseconds kGap{2000};

std::string text_of(const uts::count& shown) {
  return std::to_string(shown.nodes) + " nodes, " + std::to_string(shown.leaves) +
         " leaves, depth " + std::to_string(shown.depth);
}

void require_published(const uts::sample_tree& sample, const uts::count& found) {
  if (found != sample.published) {
    throw wrong_result(std::string{sample.name} + " has " + text_of(sample.published) + ", not " +
                       text_of(found));
  }
}

json json_of(const timeline::record& record) {
  json threads = json::array();
  for (const timeline::thread_record& thread : record.threads) {
    json busy = json::array();
    for (const timeline::stretch& each : thread.busy) {
      busy.push_back({to_ns(each.begin), to_ns(each.end)});
    }
    threads.push_back({{"cpu", thread.cpu}, {"tasks", thread.tasks}, {"busy", busy}});
  }
  return {{"wall_ns", to_ns(record.wall_ticks)},
          {"gap_ns", to_ns(record.gap_ticks)},
          {"threads", threads}};
}

json noted_search(const uts::sample_tree& sample, task_runner& runner) {
  const uts_timeline walk{{sample.tree}};
  timeline::begin(to_ticks(kGap));
  const uts::count found = runner.walk(walk);
  const timeline::record record = timeline::end();
  require_published(sample, found);
  std::uint64_t tasks = 0;
  for (const timeline::thread_record& thread : record.threads) {
    tasks += thread.tasks;
  }
  if (tasks != found.nodes) {
    throw wrong_result("the timeline has " + std::to_string(tasks) + " tasks, not " +
                       std::to_string(found.nodes));
  }
  return json_of(record);
}

}  // namespace

json measure_uts(const uts::sample_tree& sample, bool with_timeline, const batch_plan& plan,
                 task_runner& runner) {
  const uts_walk walk{sample.tree};
  const uts::count& known = sample.published;
  const auto batch = [&] {
    return checked_ns([&] { return runner.walk(walk); },
                      [&](const uts::count& found) { require_published(sample, found); });
  };
  json line{{"tree", sample.name},  {"granularity", sample.tree.granularity},
            {"nodes", known.nodes}, {"leaves", known.leaves},
            {"depth", known.depth}, {"tasks", known.nodes}};
  line["ns"] = ns_per_task(plan, runner, known.nodes, batch);
  line.update(census_line(plan, runner, known.nodes, [&] {
    require_published(sample, runner.walk(uts_census{{sample.tree}}));
  }));
  if (with_timeline) {
    line["timeline"] = noted_search(sample, runner);
  }
  return line;
}

unit_of_work uts_unit(const uts::sample_tree& sample) {
  return [sample](work_counter& counter) {
    const uts::count found = called_walk(uts_told_walk{{sample.tree}, &counter});
    require_published(sample, found);
    counter.add(found.nodes % uts_told_walk::kTellEvery);
  };
}

}  // namespace fg::bench
