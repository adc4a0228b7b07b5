// finegrain's relic: as it comes, always spinning, and told when to wake up and to sleep.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/relic.hpp"

#include <stdexcept>
#include <string_view>

#include "finegrain/wait/wait.hpp"
#include "programs/frame/pinning.hpp"
#include "programs/periodic/periodic_process.hpp"

namespace fg::bench {
namespace {

/// Submit, own half, wait.
template <class Relic>
struct submit_and_wait {
  Relic& assistant;

  template <class Task, class Own>
  void operator()(Task&& task, Own&& own) const {
    assistant.submit([&task] { task(); });
    own();
    assistant.wait();
  }
};

/// The same with hints: the assistant is told to wake up when a tick comes, which is part of the
/// answer's time, and to sleep when the answer has ended.
struct with_hints : submit_and_wait<relic> {
  void tick_came() const { assistant.wake_up_hint(); }
  void answer_ended() const { assistant.sleep_hint(); }
};
static_assert(follows_ticks<with_hints>);

template <class Relic, class ForkJoin>
void measure_with(cpu_pair cpus, periodic_answers& answers) {
  Relic assistant{{.assistant_cpu = cpus.assistant}};
  if (assistant.inline_mode()) {
    throw std::runtime_error("relic runs inline: " + assistant.inline_reason());
  }
  require_cpu(cpus.main);
  ForkJoin pair{assistant};
  answers.measure(pair);
}

void measure(cpu_pair cpus, std::string_view waits, periodic_answers& answers) {
  if (waits == "spinning") {
    using spinning_relic = basic_relic<spin_pause>;
    measure_with<spinning_relic, submit_and_wait<spinning_relic>>(cpus, answers);
  } else if (waits == "hints") {
    measure_with<relic, with_hints>(cpus, answers);
  } else {
    measure_with<relic, submit_and_wait<relic>>(cpus, answers);
  }
}

}  // namespace
}  // namespace fg::bench

int main(int argc, char** argv) {
  return fg::bench::run_periodic_process(argc, argv,
                                         {.name = "relic",
                                          .version = "finegrain " FINEGRAIN_VERSION,
                                          .waits = {"default", "spinning", "hints"},
                                          .measure = fg::bench::measure});
}
