// finegrain's pool of two workers, within one `run`.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/pool.hpp"

#include <stdexcept>

#include "programs/frame/pinning.hpp"
#include "programs/pipeline/pipeline_of.hpp"
#include "programs/pipeline/pipeline_process.hpp"

namespace fg::bench {
namespace {

void session(cpu_pair cpus, token_stages& stages, const measure_runs& measure) {
  use_only({cpus.main, cpus.assistant});
  require_cpu(cpus.main);
  pool workers{{.workers = 2, .placement = worker_placement::every_cpu}};
  if (!workers.shortage().empty()) {
    throw std::runtime_error(workers.shortage());
  }
  workers.run(
      [&] { with_pipeline_of(stages, [&](auto& line) { measure([&] { line.run(workers); }); }); });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::pipeline_main(
      argc, argv,
      {.name = "pool", .version = "finegrain " FINEGRAIN_VERSION, .session = fg::bench::session});
}
