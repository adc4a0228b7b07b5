// The baseline: a token passes all stages before the next one is made.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/serial.hpp"

#include "programs/pipeline/pipeline_process.hpp"

namespace fg::bench {
namespace {

void session(cpu_pair cpus, token_stages& stages, const measure_runs& measure) {
  serial_runtime::session(cpus, [&](auto&) {
    measure([&stages] {
      while (const auto made = stages.make()) {
        stages.finish(stages.has_middle() ? stages.work(*made) : *made);
      }
    });
  });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::serial_runtime;
  return fg::bench::pipeline_main(
      argc, argv,
      {.name = runtime::kName, .version = runtime::version(), .session = fg::bench::session});
}
