// The crate rayon.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "programs/frame/pinning.hpp"
#include "programs/loops/loops_process.hpp"
#include "programs/rust/carried_exception.hpp"
#include "programs/rust/rust_peers.hpp"

namespace fg::bench {
namespace {

constexpr std::size_t kStackBytes = std::size_t{2} << 20U;  // Rust's own

// Within `install`, as a user of rayon would call loops that follow one another.
void measure(cpu_pair cpus, std::string_view /*calls*/, timed_loops& loops) {
  const auto place = [cpus](std::uint64_t thread) {
    static_cast<void>(pin_this_thread(thread == 0 ? cpus.main : cpus.assistant));
  };
  carried_exception failure;
  const auto guarded = [&](void* /*scope*/) {
    failure.catch_from([&] { loops.measure([](const loop_work& work) { fg_rayon_loop(&work); }); });
  };
  if (!fg_rayon_session(2, kStackBytes, rust_numbered_call_of(place), rust_call_of(guarded))) {
    throw std::runtime_error("rayon cannot start its threads");
  }
  failure.rethrow();
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::loops_main(argc, argv,
                               {.name = "rayon",
                                .version = FINEGRAIN_BENCH_CRATE,
                                .calls = {"default"},
                                .measure = fg::bench::measure});
}
