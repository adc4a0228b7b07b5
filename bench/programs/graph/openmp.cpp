// The OpenMP runtimes of GNU, LLVM and Intel: one source, compiled and linked three times.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/openmp.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "programs/graph/graph_process.hpp"

namespace fg::bench {
namespace {

// OpenMP has no graph to keep: each run makes its tasks again, in an order that the edges allow, and
// the runtime computes from their clauses which of them wait.
void run_tasks(graph_nodes& nodes) {
  graph_node* const all = nodes.begin();
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const std::vector<std::uint32_t>& predecessors = nodes.shape().predecessors[at];
    [[maybe_unused]] const std::uint32_t* const before = predecessors.data();
    [[maybe_unused]] const std::size_t count = predecessors.size();
    graph_node* const node = all + at;
#pragma omp task default(none) firstprivate(node) \
    depend(iterator(std::size_t i = 0 : count), in : all[before[i]]) depend(out : *node)
    (*node)();
  }
#pragma omp taskwait
}

graph_run build(graph_nodes& nodes) {
  return [&nodes] { run_tasks(nodes); };
}

// One region for all runs. The threads' CPUs come from the environment (fork_join/openmp.hpp).
void session(cpu_pair /*cpus*/, std::string_view /*form*/, const measure_graphs& measure) {
  int threads = 0;
#pragma omp parallel num_threads(2) default(none) shared(measure, threads)
#pragma omp master  // the other thread goes to the region's barrier, where it runs tasks
  {
    threads = omp_get_num_threads();
    if (threads == 2) {
      measure(build);
    }
  }
  if (threads != 2) {
    throw std::runtime_error("the region has " + std::to_string(threads) + " threads");
  }
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::openmp_runtime;
  return fg::bench::graph_main(argc, argv,
                               {.name = runtime::kName,
                                .version = runtime::version(),
                                .forms = {"default"},
                                .session = fg::bench::session});
}
