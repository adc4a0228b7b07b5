// Taskflow.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>
#include <vector>

#include "programs/frame/taskflow_places.hpp"
#include "programs/loops/loops_process.hpp"

namespace fg::bench {
namespace {

// A graph with the loop is built once, and run on a worker, which takes part: both are Taskflow's own
// advice. Of 1000 elements of 1 and of 8 ns that takes 1455 and 4241 ns with a static partitioner,
// 1560 and 4638 with a guided one; from a thread that is no worker 7304 and 9954 (2 vCPUs of an AMD
// EPYC, Taskflow 3.9, serial 889 and 3627).
void measure(cpu_pair cpus, std::string_view /*calls*/, timed_loops& loops) {
  tf::Executor executor{2,
                        std::make_shared<taskflow_places>(std::vector{cpus.main, cpus.assistant})};
  const loop_work* current = nullptr;
  tf::Taskflow flow;
  flow.for_each_index(
      std::size_t{0}, loops.elements(), std::size_t{1},
      [&current](std::size_t i) { (*current)(i); }, tf::StaticPartitioner{});
  executor
      .async([&] {
        loops.measure([&](const loop_work& work) {
          current = &work;
          executor.corun(flow);
        });
      })
      .get();
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::loops_main(argc, argv,
                               {.name = "taskflow",
                                .version = std::string{"Taskflow "} + tf::version(),
                                .calls = {"default"},
                                .measure = fg::bench::measure});
}
