// finegrain's pool of two workers: its graph, and the same by fork_join, all within one `run`.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/pool.hpp"

#include <stdexcept>
#include <string_view>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/graph/branches.hpp"
#include "programs/graph/graph_of.hpp"
#include "programs/graph/graph_process.hpp"

namespace fg::bench {
namespace {

void session(cpu_pair cpus, std::string_view form, const measure_graphs& measure) {
  use_only({cpus.main, cpus.assistant});
  require_cpu(cpus.main);
  pool workers{{.workers = 2, .placement = worker_placement::every_cpu}};
  if (!workers.shortage().empty()) {
    throw std::runtime_error(workers.shortage());
  }
  workers.run([&] {
    if (form == "fork-join") {
      measure([](graph_nodes& nodes) {
        return forked(nodes, [](const auto& f, const auto& g) { fork_join(f, g); });
      });
    } else {
      measure([&workers](graph_nodes& nodes) -> graph_run {
        return [graph = graph_of(nodes), &workers] { graph->run(workers); };
      });
    }
  });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::graph_main(argc, argv,
                               {.name = "pool",
                                .version = "finegrain " FINEGRAIN_VERSION,
                                .forms = {"default", "fork-join"},
                                .session = fg::bench::session});
}
