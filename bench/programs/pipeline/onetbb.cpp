// oneAPI Threading Building Blocks: parallel_pipeline.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/onetbb.hpp"

#include <oneapi/tbb/parallel_pipeline.h>

#include <cstddef>

#include "programs/pipeline/pipeline_process.hpp"

namespace fg::bench {
namespace {

// As many as finegrain's have. With 4, 64 and 256 tokens take as long, within the noise (medians of five
// programs, 2 CPUs of an AMD EPYC, oneTBB 2023.2).
constexpr std::size_t kTokens = 16;

tbb::filter<void, void> line_of(token_stages& stages) {
  using mode = tbb::filter_mode;
  const auto first =
      tbb::make_filter<void, token>(mode::serial_in_order, [&stages](tbb::flow_control& control) {
        const auto made = stages.make();
        if (!made) {
          control.stop();
        }
        return made.value_or(token{});
      });
  const auto last = tbb::make_filter<token, void>(
      mode::serial_in_order, [&stages](const token& passing) { stages.finish(passing); });
  if (!stages.has_middle()) {
    return first & last;
  }
  const auto middle = tbb::make_filter<token, token>(
      mode::parallel, [&stages](const token& passing) { return stages.work(passing); });
  return first & middle & last;
}

void session(cpu_pair cpus, token_stages& stages, const measure_runs& measure) {
  onetbb_runtime::session(cpus, [&](auto&) {
    measure([line = line_of(stages)] { tbb::parallel_pipeline(kTokens, line); });
  });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::onetbb_runtime;
  return fg::bench::pipeline_main(
      argc, argv,
      {.name = runtime::kName, .version = runtime::version(), .session = fg::bench::session});
}
