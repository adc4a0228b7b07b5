// When tasks came for an assistant that slept (relic/arrival_log.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "checker/protocol.hpp"
#include "finegrain/relic/arrival_log.hpp"

namespace {

// Taken while they are added.
void two_times() {
  fg::detail::arrival_log log;
  std::uint64_t next = 1;
  const auto take = [&] {
    log.take([&](std::uint64_t at) { model::require(at == next++, "each once, in order"); });
  };
  model::run_threads(
      [&] {
        log.add(1);
        log.add(2);
      },
      [&] { take(); });
  take();
  model::require(next == 3, "none is lost");
}

// More than it holds: the taker may meet a time that is being overwritten.
void too_many_times() {
  fg::detail::arrival_log log;
  for (std::uint64_t time = 1; time <= fg::detail::arrival_log::kTimes; ++time) {
    log.add(time);
  }
  model::run_threads(
      [&] { log.add(100); },
      [&] { log.take([](std::uint64_t at) { model::require(at != 0, "a time"); }); });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol("arrival_log: one adds, one takes",
                               {{"2 times", "each once, in order", two_times},
                                {"more than it holds", "only times", too_many_times}},
                               argc, argv);
}
