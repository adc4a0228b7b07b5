// Taskflow: tf::Pipeline.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>
#include <utility>
#include <vector>

#include "finegrain/core/cache_line.hpp"
#include "programs/frame/taskflow_places.hpp"
#include "programs/pipeline/pipeline_process.hpp"

namespace fg::bench {
namespace {

// As many as finegrain's have tokens. With 4, 64 and 256 tokens take as long, within the noise (medians of
// five programs, 2 CPUs of an AMD EPYC, Taskflow 3.9).
constexpr std::size_t kLines = 16;

// The value of a line's token: a Pipeline passes none.
struct alignas(kCacheLineBytes) line_value {
  token passing;
};

template <class Call>
tf::Pipe<Call> pipe(tf::PipeType type, Call call) {
  return {type, std::move(call)};
}

// Calls `use(line)` with the pipeline.
template <class Use>
void with_line_of(token_stages& stages, const Use& use) {
  std::array<line_value, kLines> values;
  const auto first = [&](tf::Pipeflow& flow) {
    if (const auto made = stages.make()) {
      values[flow.line()].passing = *made;
    } else {
      flow.stop();
    }
  };
  const auto middle = [&](tf::Pipeflow& flow) {
    token& passing = values[flow.line()].passing;
    passing = stages.work(passing);
  };
  const auto last = [&](tf::Pipeflow& flow) { stages.finish(values[flow.line()].passing); };
  if (stages.has_middle()) {
    tf::Pipeline line{kLines, pipe(tf::PipeType::SERIAL, first),
                      pipe(tf::PipeType::PARALLEL, middle), pipe(tf::PipeType::SERIAL, last)};
    use(line);
  } else {
    tf::Pipeline line{kLines, pipe(tf::PipeType::SERIAL, first), pipe(tf::PipeType::SERIAL, last)};
    use(line);
  }
}

void session(cpu_pair cpus, token_stages& stages, const measure_runs& measure) {
  tf::Executor executor{2,
                        std::make_shared<taskflow_places>(std::vector{cpus.main, cpus.assistant})};
  executor
      .async([&] {
        with_line_of(stages, [&](auto& line) {
          tf::Taskflow flow;
          flow.composed_of(line);
          measure([&] {
            line.reset();
            executor.corun(flow);
          });
        });
      })
      .get();
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::pipeline_main(argc, argv,
                                  {.name = "taskflow",
                                   .version = std::string{"Taskflow "} + tf::version(),
                                   .session = fg::bench::session});
}
