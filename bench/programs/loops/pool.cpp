// finegrain's pool: loops called inside of one `run`, each from outside, and inside on one worker.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pool/pool.hpp"

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/loops/loops_process.hpp"

namespace fg::bench {
namespace {

void measure(cpu_pair cpus, std::string_view calls, timed_loops& loops) {
  use_only({cpus.main, cpus.assistant});
  require_cpu(cpus.main);
  const std::size_t workers = calls == "one-worker" ? 1 : 2;
  pool home{{.workers = workers, .placement = worker_placement::every_cpu}};
  if (!home.shortage().empty()) {
    throw std::runtime_error(home.shortage());
  }
  if (calls == "outside") {
    loops.measure([&home](const loop_work& work) {
      parallel_for(home, std::size_t{0}, work.elements, work);
    });
  } else {
    home.run([&] {
      loops.measure(
          [](const loop_work& work) { parallel_for(std::size_t{0}, work.elements, work); });
    });
  }
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::loops_main(argc, argv,
                               {.name = "pool",
                                .version = "finegrain " FINEGRAIN_VERSION,
                                .calls = {"inside", "outside", "one-worker"},
                                .measure = fg::bench::measure});
}
