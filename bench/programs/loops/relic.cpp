// finegrain's relic.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/relic.hpp"

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/loops/loops_process.hpp"

namespace fg::bench {
namespace {

void measure(cpu_pair cpus, std::string_view /*calls*/, timed_loops& loops) {
  relic assistant{{.assistant_cpu = cpus.assistant}};
  if (assistant.inline_mode()) {
    throw std::runtime_error("relic runs inline: " + assistant.inline_reason());
  }
  require_cpu(cpus.main);
  loops.measure([&assistant](const loop_work& work) {
    parallel_for(assistant, std::size_t{0}, work.elements, work);
  });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::loops_main(argc, argv,
                               {.name = "relic",
                                .version = "finegrain " FINEGRAIN_VERSION,
                                .calls = {"default"},
                                .measure = fg::bench::measure});
}
