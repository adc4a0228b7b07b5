// handoff-instructions --case CASE [--repeat N]: see bench/README.md. For callgrind, which counts
// only while one of the functions below runs.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "programs/frame/program.hpp"
#include "programs/handoff/burst_case.hpp"

namespace {

// The functions' own instructions, a return and saving registers, are counted with those of their
// callees: this is the cost for a caller that does not inline.
extern "C" {
[[gnu::noinline]] void fg_count_submit(fg::relic& relic, std::uint64_t& ran) {
  relic.submit([&ran] { ++ran; });
}
[[gnu::noinline]] void fg_count_wait(fg::relic& relic) { relic.wait(); }
}

// Waits until the assistant has finished, so that `wait` finds everything done and never loops:
// only then is the count the same in every run.
void let_them_finish(const fg::relic& relic) {
  while (!fg::detail::relic_access::is_ready(relic)) {
    std::this_thread::sleep_for(std::chrono::microseconds{100});
  }
}

}  // namespace

int main(int argc, char** argv) {
  fg::bench::options app{"Submits and waits, for counting the main thread's instructions"};
  std::string case_name = "empty";
  std::uint64_t repeat = 100;
  app.add("--case", case_name, "empty, or burst-N");
  app.add("--repeat", repeat, "Bursts").positive();
  return fg::bench::run_program("handoff-instructions", app, argc, argv, [&] {
    const std::optional<std::size_t> burst = fg::bench::parse_burst_case(case_name);
    if (!burst) {
      throw fg::bench::wrong_arguments("there is no case '" + case_name + "'");
    }
    fg::relic relic{{.spin_budget = std::chrono::hours{1}}};
    if (relic.inline_mode()) {
      throw std::runtime_error("relic runs inline: " + relic.inline_reason());
    }
    std::uint64_t ran = 0;
    for (std::uint64_t i = 0; i < repeat; ++i) {
      for (std::size_t task = 0; task < *burst; ++task) {
        fg_count_submit(relic, ran);
      }
      let_them_finish(relic);
      fg_count_wait(relic);
    }
    if (ran != repeat * *burst) {
      throw fg::bench::wrong_result(std::to_string(ran) + " tasks ran");
    }
    return nlohmann::ordered_json{
        {"case", case_name}, {"repeat", repeat}, {"toggle", {"fg_count_submit", "fg_count_wait"}}};
  });
}
