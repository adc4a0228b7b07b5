// The baseline: a plain loop.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/serial.hpp"

#include <string_view>

#include "programs/loops/loops_process.hpp"

namespace fg::bench {
namespace {

void measure(cpu_pair cpus, std::string_view /*calls*/, timed_loops& loops) {
  serial_runtime::session(cpus, [&](auto&) { loops.measure(run_serially); });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::serial_runtime;
  return fg::bench::loops_main(argc, argv,
                               {.name = runtime::kName,
                                .version = runtime::version(),
                                .calls = {"default"},
                                .measure = fg::bench::measure});
}
