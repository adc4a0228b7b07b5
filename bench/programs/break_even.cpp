// break-even --ratio R --grain-ns G [--change-to-ns G2] …: see bench/README.md.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "kernels/spin/spin_kernel.hpp"
#include "programs/frame/program.hpp"

namespace {

using fg::bench::spin_kernel;
using json = nlohmann::ordered_json;

enum class arm : std::uint8_t { kSerial, kAlways, kAdaptive };
constexpr std::size_t kArms = 3;

struct plan {
  std::string ratio = "1to1";
  double grain_ns = 1000;
  double change_to_ns = 0;  // 0: no change
  double spin_steps_per_us = 0;
  int batches = 9;
  double batch_ms = 4;
};

// The length of each branch as a multiple of the grain.
struct proportion {
  int f = 1;
  int g = 1;
};
const std::map<std::string, proportion> proportions{
    {"1to1", {1, 1}}, {"1to4", {1, 4}}, {"4to1", {4, 1}}};

// Two branches of chosen lengths, each with its own data.
class branches {
 public:
  branches(const plan& plan, double grain_ns)
      : f_{steps(plan, grain_ns * proportions.at(plan.ratio).f)},
        g_{steps(plan, grain_ns * proportions.at(plan.ratio).g)} {}

  spin_kernel& f() noexcept { return f_; }
  spin_kernel& g() noexcept { return g_; }

  void require_right() const {
    for (const spin_kernel* kernel : {&f_, &g_}) {
      if (const std::optional<std::string> difference = kernel->check()) {
        throw fg::bench::wrong_result(*difference);
      }
    }
  }
  void clear() noexcept {
    f_.clear();
    g_.clear();
  }

 private:
  static std::uint64_t steps(const plan& plan, double ns) {
    return static_cast<std::uint64_t>(
        std::max(1.0, std::round(plan.spin_steps_per_us * ns / 1000)));
  }
  spin_kernel f_;
  spin_kernel g_;
};

// One call in each of the three ways. The loop around it is the same, and the adaptive arm has one
// call site for all phases: it has to notice that the branches have changed.
template <arm Arm>
[[gnu::noinline]] void run_calls(fg::relic& relic, branches& pair, std::uint64_t calls) {
  spin_kernel& f = pair.f();
  spin_kernel& g = pair.g();
  for (std::uint64_t call = 0; call < calls; ++call) {
    if constexpr (Arm == arm::kSerial) {
      f.run();
      g.run();
    } else {
      fg::fork_join(
          relic, [&f] { f.run(); }, [&g] { g.run(); },
          Arm == arm::kAlways ? fg::offload::always : fg::offload::adaptive);
    }
  }
}

// One length of branches, and its measurements.
struct phase {
  phase(const plan& plan, double grain) : grain_ns{grain}, pair{plan, grain} {}

  double grain_ns;
  branches pair;
  std::uint64_t calls = 1;                      // per batch
  std::array<std::vector<double>, kArms> ns{};  // per call, one number per batch
  std::vector<double> offloaded_share{};        // for the adaptive arm
  std::vector<std::uint64_t> calls_of_batch{};
};

double time_calls(fg::relic& relic, phase& phase, arm arm) {
  phase.pair.clear();
  const std::uint64_t start = fg::ticks();
  switch (arm) {
    case arm::kSerial:
      run_calls<arm::kSerial>(relic, phase.pair, phase.calls);
      break;
    case arm::kAlways:
      run_calls<arm::kAlways>(relic, phase.pair, phase.calls);
      break;
    case arm::kAdaptive:
      run_calls<arm::kAdaptive>(relic, phase.pair, phase.calls);
      break;
  }
  const std::uint64_t end = fg::ticks();
  phase.pair.require_right();
  return fg::to_ns(end - start) / static_cast<double>(phase.calls);
}

// The number of calls with which a serial batch takes `batch_ms`.
void choose_calls(fg::relic& relic, phase& phase, double batch_ms) {
  constexpr double kProbeNs = 200'000;
  double ns = 0;
  while ((ns = time_calls(relic, phase, arm::kSerial)) * static_cast<double>(phase.calls) <
         kProbeNs) {
    phase.calls *= 2;
  }
  phase.calls = static_cast<std::uint64_t>(std::max(1.0, batch_ms * 1e6 / ns));
}

// The share of the adaptive calls that were handed over. The round-trip measurement hands over
// empty tasks too, at most some dozens per batch; so the share is capped at 1.
double run_adaptive(fg::relic& relic, phase& phase) {
  const std::uint64_t before = relic.counters().tasks;
  phase.ns.at(static_cast<std::size_t>(arm::kAdaptive))
      .push_back(time_calls(relic, phase, arm::kAdaptive));
  const auto tasks = static_cast<double>(relic.counters().tasks - before);
  return std::min(1.0, tasks / static_cast<double>(phase.calls));
}

// Runs the three ways one after the other, in an order that rotates, so that a disturbance by the
// host affects neighbouring batches alike.
void run_batch(fg::relic& relic, phase& phase, std::size_t batch) {
  for (std::size_t i = 0; i < kArms; ++i) {
    const auto arm_index = (batch + i) % kArms;
    const auto which = static_cast<arm>(arm_index);
    if (which == arm::kAdaptive) {
      phase.offloaded_share.push_back(run_adaptive(relic, phase));
    } else {
      phase.ns.at(arm_index).push_back(time_calls(relic, phase, which));
    }
  }
  phase.calls_of_batch.push_back(phase.calls);
}

json to_json(const phase& phase) {
  return {{"grain_ns", phase.grain_ns},
          {"serial_ns", phase.ns[0]},
          {"always_ns", phase.ns[1]},
          {"adaptive_ns", phase.ns[2]},
          {"adaptive_offloaded_share", phase.offloaded_share},
          {"calls", phase.calls_of_batch}};
}

json measure(const plan& plan, const fg::bench::cpu_pair_option& cpus) {
  fg::bench::require_cpu(cpus.main());
  fg::relic relic{{.assistant_cpu = cpus.assistant()}};
  if (relic.inline_mode()) {
    throw std::runtime_error("relic runs inline: " + relic.inline_reason());
  }
  std::list<phase> phases;  // a list, because a phase must not move: its data has lines of its own
  phases.emplace_back(plan, plan.grain_ns);
  if (plan.change_to_ns > 0) {
    phases.emplace_back(plan, plan.change_to_ns);
  }
  for (phase& phase : phases) {
    choose_calls(relic, phase, plan.batch_ms);
  }
  for (int batch = 0; batch < plan.batches; ++batch) {
    for (phase& phase : phases) {
      run_batch(relic, phase, static_cast<std::size_t>(batch));
    }
  }
  json told = json::array();
  for (const phase& phase : phases) {
    told.push_back(to_json(phase));
  }
  return {{"ratio", plan.ratio},
          {"grain_ns", plan.grain_ns},
          {"change_to_ns", plan.change_to_ns > 0 ? json(plan.change_to_ns) : json(nullptr)},
          {"phases", told},
          {"round_trip_ns", fg::to_ns(fg::detail::relic_access::round_trip_ticks(relic))},
          {"main_cpu", fg::current_cpu()},
          {"assistant_cpu", *relic.placement().assistant_cpu},
          {"note", ""}};
}

}  // namespace

int main(int argc, char** argv) {
  fg::bench::options app{"fork_join against running both branches here, by their length"};
  fg::bench::cpu_pair_option cpus;
  plan plan;
  cpus.add_to(app);
  const auto names = std::views::keys(proportions);
  app.add("--ratio", plan.ratio, "Length of f to that of g").one_of({names.begin(), names.end()});
  app.add("--grain-ns", plan.grain_ns, "The shorter branch").number_in(1, 1e9);
  app.add("--change-to-ns", plan.change_to_ns, "The grain that it changes to, and back")
      .number_in(1, 1e9);
  app.add("--spin-steps-per-us", plan.spin_steps_per_us, "As calibrate prints it")
      .required()
      .spin_rate();
  app.add("--batches", plan.batches, "Batches of each way").positive();
  app.add("--batch-ms", plan.batch_ms, "Serial time of a batch").positive();
  return fg::bench::run_program("break-even", app, argc, argv, [&] { return measure(plan, cpus); });
}
