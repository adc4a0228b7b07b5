// finegrain's relic: its graph, and the same by fork_join.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/relic.hpp"

#include <stdexcept>
#include <string_view>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/graph/branches.hpp"
#include "programs/graph/graph_of.hpp"
#include "programs/graph/graph_process.hpp"

namespace fg::bench {
namespace {

void session(cpu_pair cpus, std::string_view form, const measure_graphs& measure) {
  relic assistant{{.assistant_cpu = cpus.assistant}};
  if (assistant.inline_mode()) {
    throw std::runtime_error("relic runs inline: " + assistant.inline_reason());
  }
  require_cpu(cpus.main);
  if (form == "fork-join") {
    measure([&assistant](graph_nodes& nodes) {
      return forked(nodes,
                    [&assistant](const auto& f, const auto& g) { fork_join(assistant, f, g); });
    });
  } else {
    measure([&assistant](graph_nodes& nodes) -> graph_run {
      return [graph = graph_of(nodes), &assistant] { graph->run(assistant); };
    });
  }
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::graph_main(argc, argv,
                               {.name = "relic",
                                .version = "finegrain " FINEGRAIN_VERSION,
                                .forms = {"default", "fork-join"},
                                .session = fg::bench::session});
}
