// oneAPI Threading Building Blocks.
// SPDX-License-Identifier: Apache-2.0
#include "programs/fork_join/onetbb.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <cstddef>
#include <string_view>

#include "programs/loops/loops_process.hpp"

namespace fg::bench {
namespace {

// The static partitioner was the fastest of four forms here (2 vCPUs of an AMD EPYC, oneTBB 2023.2, ns
// per loop of 1000 elements of 1 and of 8 ns, serial 889 and 3627): this 1356 and 4242, without a
// partitioner 3199 and 6361, with a range as the loop's piece 2782 and 6020, with an affinity
// partitioner that is kept 3227 and 6192. Loops of 100,000 elements take about the same with all.
void measure(cpu_pair cpus, std::string_view /*calls*/, timed_loops& loops) {
  onetbb_runtime::session(cpus, [&loops](auto&) {
    loops.measure([](const loop_work& work) {
      tbb::parallel_for(std::size_t{0}, work.elements, work, tbb::static_partitioner{});
    });
  });
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  using runtime = fg::bench::onetbb_runtime;
  return fg::bench::loops_main(argc, argv,
                               {.name = runtime::kName,
                                .version = runtime::version(),
                                .calls = {"default"},
                                .measure = fg::bench::measure});
}
