// The baseline: the nodes one after the other.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/serial.hpp"

#include <algorithm>
#include <string_view>

#include "programs/graph/graph_process.hpp"

namespace fg::bench {
namespace {

// Each is called, as nodes of different code are: inlined, empty ones of one code take 0.3 ns.
[[gnu::noinline]] void call(graph_node& node) { node(); }

graph_run build(graph_nodes& nodes) {
  return [&nodes] { std::ranges::for_each(nodes, call); };
}

void session(cpu_pair cpus, std::string_view /*form*/, const measure_graphs& measure) {
  serial_runtime::session(cpus, [&measure](auto&) { measure(build); });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::serial_runtime;
  return fg::bench::graph_main(argc, argv,
                               {.name = runtime::kName,
                                .version = runtime::version(),
                                .forms = {"default"},
                                .session = fg::bench::session});
}
