// waiting --policy POLICY --gap-us G --hints none|hints …: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/core/clock.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/wait/wait.hpp"
#include "programs/frame/program.hpp"

namespace {

using json = nlohmann::ordered_json;
using std::chrono::microseconds;

struct plan {
  std::string policy = fg::spin_then_sleep::kName;
  std::int64_t gap_us = 1000;
  bool hints = false;
  int rounds = 20;
  int assistant_cpu = 1;
};

// How long before the first task the hint is given.
constexpr microseconds kWakeUpAhead{300};

// CPU time of the assistant, as the kernel counts it. Uses the thread's own clock: for a thread
// that runs elsewhere, the process's clock is up to date only to a scheduler tick.
template <class Relic>
std::uint64_t assistant_cpu_ns(const Relic& relic) {
  const fg::relic_counters counters = relic.counters();
  return counters.worked_ns + counters.spun_ns;
}

// The part of an application that has no tasks.
void work_until(std::uint64_t end) {
  while (fg::ticks() < end) {
  }
}

template <class Relic>
void run_empty_task(Relic& relic, std::uint64_t& ran) {
  relic.submit([&ran] { ++ran; });
  relic.wait();
}

struct measured {
  std::vector<double> first_task_ns;
  std::vector<double> burned_share;
};

template <class Relic>
void run_round(Relic& relic, const plan& plan, measured& results, std::uint64_t& ran) {
  constexpr int kWarm = 50;
  for (int i = 0; i < kWarm; ++i) {
    run_empty_task(relic, ran);
  }
  const microseconds gap{plan.gap_us};
  const std::uint64_t burned = assistant_cpu_ns(relic);
  const std::uint64_t start = fg::ticks();
  if (plan.hints) {
    relic.sleep_hint();
    work_until(start + fg::to_ticks(std::max(gap - kWakeUpAhead, microseconds{0})));
    relic.wake_up_hint();
  }
  work_until(start + fg::to_ticks(gap));
  const std::uint64_t submitted = fg::ticks();
  run_empty_task(relic, ran);
  const std::uint64_t finished = fg::ticks();
  results.first_task_ns.push_back(fg::to_ns(finished - submitted));
  const double passed_ns = fg::to_ns(finished - start);
  results.burned_share.push_back(static_cast<double>(assistant_cpu_ns(relic) - burned) / passed_ns);
}

template <class Policy>
json measure(const plan& plan) {
  // How long a sleeper takes to come: so the main thread does not run its tasks meanwhile.
  fg::basic_relic<Policy> relic{{.assistant_cpu = plan.assistant_cpu, .main_helps = false}};
  if (relic.inline_mode()) {
    throw std::runtime_error("relic runs inline: " + relic.inline_reason());
  }
  measured results;
  std::uint64_t ran = 0;
  run_round(relic, plan, results, ran);  // once to warm up
  results = {};
  const fg::relic_counters before = relic.counters();
  for (int round = 0; round < plan.rounds; ++round) {
    run_round(relic, plan, results, ran);
  }
  const fg::relic_counters after = relic.counters();
  if (ran != after.tasks) {
    throw fg::bench::wrong_result(std::to_string(ran) + " of " + std::to_string(after.tasks) +
                                  " tasks ran");
  }
  return {{"policy", plan.policy},
          {"gap_us", plan.gap_us},
          {"hints", plan.hints ? "hints" : "none"},
          {"first_task_ns", results.first_task_ns},
          {"burned_share", results.burned_share},
          {"sleeps", after.sleeps - before.sleeps},
          {"wake_ups", after.wake_ups - before.wake_ups},
          {"main_cpu", fg::current_cpu()},
          {"assistant_cpu", plan.assistant_cpu},
          {"note", ""}};
}

template <class Policy, class... Others>
json measure_one_of(const plan& plan) {
  if (plan.policy == Policy::kName) {
    if (!Policy::supported()) {
      throw fg::bench::wrong_arguments("this processor does not have " + plan.policy);
    }
    return measure<Policy>(plan);
  }
  if constexpr (sizeof...(Others) != 0) {
    return measure_one_of<Others...>(plan);
  } else {
    throw fg::bench::wrong_arguments("there is no policy '" + plan.policy + "'");
  }
}

json measure_policy(const plan& plan) {
  return measure_one_of<fg::spin_then_sleep, fg::spin_pause, fg::spin
#if defined(__x86_64__) && defined(__GNUC__)
                        ,
                        fg::umwait, fg::mwaitx
#endif
                        >(plan);
}

}  // namespace

int main(int argc, char** argv) {
  fg::bench::options app{"The first task after a pause, and the CPU time that the pause cost"};
  fg::bench::cpu_pair_option cpus;
  plan plan;
  std::string hints = "none";
  cpus.add_to(app);
  app.add("--policy", plan.policy, "A wait policy of relic");
  app.add("--gap-us", plan.gap_us, "The pause").in_range(1, 10'000'000);
  app.add("--hints", hints, "none, or hints").one_of({"none", "hints"});
  app.add("--rounds", plan.rounds, "Pauses").positive();
  return fg::bench::run_program("waiting", app, argc, argv, [&] {
    plan.hints = hints == "hints";
    plan.assistant_cpu = cpus.assistant();
    fg::bench::require_cpu(cpus.main());
    return measure_policy(plan);
  });
}
