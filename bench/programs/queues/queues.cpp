// queues --list, or --queue NAME --measure MEASURE …: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <boost/version.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/queue/spsc_ring.hpp"
#include "programs/frame/program.hpp"
#include "programs/handoff/field_queues.hpp"
#include "programs/handoff/queued_task.hpp"
#include "programs/queues/measure.hpp"
#include "programs/queues/mutex_ring.hpp"
#include "programs/sync/cycle_json.hpp"

namespace {

using fg::bench::queue_measure;
using fg::bench::queue_plan;
using fg::bench::queued_task;
using json = nlohmann::ordered_json;

constexpr std::size_t kCapacity = 128;  // that of the third-party queues in the hand-off experiment

class finegrain_spsc {
 public:
  bool try_push(const queued_task& task) { return queue_.try_push(task); }
  bool try_pop(queued_task& task) { return queue_.try_pop(task); }

 private:
  fg::detail::spsc_ring<queued_task> queue_{kCapacity};
};

struct named_measure {
  const char* name;
  queue_measure measure;
};

using measures = std::array<named_measure, 3>;

template <class Queue>
constexpr measures kMeasuresOf{{
    {"one-way", {&fg::bench::detail::one_way_ticks<Queue>, true}},
    {"push-pop", {&fg::bench::detail::push_pop_ticks<Queue>, false}},
    {"throughput", {&fg::bench::detail::stream_ticks<Queue>, true}},
}};

struct entry {
  const char* name;
  std::string version;
  const measures* measured;     // null: not installed
  const char* how_to_get = "";  // if it is not installed
};

std::vector<entry> entries() {
  const std::string boost = "Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
                            std::to_string(BOOST_VERSION / 100 % 1000);
  return {
      {"finegrain-spsc", "finegrain " FINEGRAIN_VERSION, &kMeasuresOf<finegrain_spsc>},
      {"boost-spsc", boost, &kMeasuresOf<fg::bench::boost_spsc<queued_task>>},
#ifdef FINEGRAIN_BENCH_ATOMIC_QUEUE
      {"atomic-queue", "AtomicQueue2", &kMeasuresOf<fg::bench::atomic_queue_spsc<queued_task>>},
#else
      {"atomic-queue", "AtomicQueue2", nullptr, "Debian's libatomic-queue-dev"},
#endif
      {"mutex-mpmc", "std::mutex", &kMeasuresOf<fg::bench::mutex_ring<queued_task, kCapacity>>},
  };
}

json list_queues() {
  json queues = json::array();
  for (const entry& one : entries()) {
    queues.push_back(
        {{"name", one.name}, {"version", one.version}, {"how_to_get", one.how_to_get}});
  }
  return {{"queues", queues}};
}

queue_measure measure_of(const std::string& queue, std::string_view measure) {
  const std::vector<entry> known = entries();
  const auto found = std::ranges::find(known, queue, &entry::name);
  if (found == known.end()) {
    throw fg::bench::wrong_arguments("there is no queue '" + queue + "'");
  }
  if (found->measured == nullptr) {
    throw fg::bench::wrong_arguments(queue + " is not installed: " + found->how_to_get);
  }
  // --measure has been checked: it is one of these.
  return std::ranges::find(*found->measured, measure, &named_measure::name)->measure;
}

json measure(const std::string& queue, const std::string& name, const queue_plan& plan,
             int main_cpu) {
  const queue_measure asked = measure_of(queue, name);
  fg::bench::require_cpu(main_cpu);
  const fg::bench::queue_sample sample = fg::bench::measure_queue(asked, plan);
  json line = {{"queue", queue}, {"measure", name}, {"items", plan.items}};
  line.update(fg::bench::cycle_json(sample.ticks));
  line.update({{"main_cpu", fg::current_cpu()}, {"task_cpus", sample.cpus}, {"note", ""}});
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  fg::bench::options app{"Latency and throughput of queues"};
  fg::bench::cpu_pair_option cpus;
  queue_plan plan;
  std::string queue;
  std::string name = "one-way";
  bool list = false;
  cpus.add_to(app);
  app.add_flag("--list", list, "Name the queues");
  app.add("--queue", queue, "One of --list");
  app.add("--measure", name, "one-way, push-pop or throughput")
      .one_of({"one-way", "push-pop", "throughput"});
  app.add("--items", plan.items, "A batch").positive();
  app.add("--batches", plan.batches, "Timed batches").positive();
  return fg::bench::run_program("queues", app, argc, argv, [&] {
    plan.other_cpu = cpus.assistant();
    return list ? list_queues() : measure(queue, name, plan, cpus.main());
  });
}
