// oneAPI Threading Building Blocks: its flow graph.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/onetbb.hpp"

#include <oneapi/tbb/flow_graph.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "programs/graph/graph_process.hpp"

namespace fg::bench {
namespace {

using message = tbb::flow::continue_msg;

// Policy: none, so that each node is a task; or lightweight, so that the node before may call it.
template <class... Policy>
class flow {
 public:
  explicit flow(graph_nodes& nodes) {
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      nodes_.emplace_back(graph_, [&node = nodes[at]](const message&) { node(); });
      const std::vector<std::uint32_t>& predecessors = nodes.shape().predecessors[at];
      for (const std::uint32_t before : predecessors) {
        tbb::flow::make_edge(nodes_[before], nodes_[at]);
      }
      if (predecessors.empty()) {
        first_.push_back(&nodes_.back());
      }
    }
  }
  void run() {
    for (node* const each : first_) {
      each->try_put(message{});
    }
    graph_.wait_for_all();
  }

 private:
  using node = tbb::flow::continue_node<message, Policy...>;

  tbb::flow::graph graph_;
  std::deque<node> nodes_;  // a deque, so that none moves
  std::vector<node*> first_;
};

template <class... Policy>
graph_run build(graph_nodes& nodes) {
  return [graph = std::make_shared<flow<Policy...>>(nodes)] { graph->run(); };
}

void session(cpu_pair cpus, std::string_view form, const measure_graphs& measure) {
  onetbb_runtime::session(cpus, [&](auto&) {
    measure(form == "lightweight" ? build<tbb::flow::lightweight> : build<>);
  });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::onetbb_runtime;
  return fg::bench::graph_main(argc, argv,
                               {.name = runtime::kName,
                                .version = runtime::version(),
                                .forms = {"default", "lightweight"},
                                .session = fg::bench::session});
}
