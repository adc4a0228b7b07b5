// finegrain's relic.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/relic.hpp"

#include <stdexcept>

#include "programs/frame/pinning.hpp"
#include "programs/pipeline/pipeline_of.hpp"
#include "programs/pipeline/pipeline_process.hpp"

namespace fg::bench {
namespace {

void session(cpu_pair cpus, token_stages& stages, const measure_runs& measure) {
  relic assistant{{.assistant_cpu = cpus.assistant}};
  if (assistant.inline_mode()) {
    throw std::runtime_error("relic runs inline: " + assistant.inline_reason());
  }
  require_cpu(cpus.main);
  with_pipeline_of(stages, [&](auto& line) { measure([&] { line.run(assistant); }); });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::pipeline_main(
      argc, argv,
      {.name = "relic", .version = "finegrain " FINEGRAIN_VERSION, .session = fg::bench::session});
}
