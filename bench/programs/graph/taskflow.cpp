// Taskflow.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <taskflow/taskflow.hpp>
#include <vector>

#include "programs/frame/taskflow_places.hpp"
#include "programs/graph/graph_process.hpp"

namespace fg::bench {
namespace {

std::shared_ptr<tf::Taskflow> flow_of(graph_nodes& nodes) {
  auto flow = std::make_shared<tf::Taskflow>();
  std::vector<tf::Task> tasks;
  tasks.reserve(nodes.size());
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    tasks.push_back(flow->emplace([&node = nodes[at]] { node(); }));
    for (const std::uint32_t before : nodes.shape().predecessors[at]) {
      tasks[before].precede(tasks[at]);
    }
  }
  return flow;
}

void session(cpu_pair cpus, std::string_view /*form*/, const measure_graphs& measure) {
  tf::Executor executor{2,
                        std::make_shared<taskflow_places>(std::vector{cpus.main, cpus.assistant})};
  executor
      .async([&] {
        measure([&executor](graph_nodes& nodes) -> graph_run {
          return [flow = flow_of(nodes), &executor] { executor.corun(*flow); };
        });
      })
      .get();
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::graph_main(argc, argv,
                               {.name = "taskflow",
                                .version = std::string{"Taskflow "} + tf::version(),
                                .forms = {"default"},
                                .session = fg::bench::session});
}
