// The simulator's program: one pool, one workload, and what it counts.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "finegrain/pool.hpp"
#include "sim/simulator/program.hpp"
#include "sim/simulator/simulator.hpp"
#include "sim/workloads.hpp"

namespace {

constexpr std::array<std::string_view, 3> kBrackets{"low", "usual", "high"};

struct setting {
  std::string machine;
  const sim::workload* what = sim::kWorkloads.data();
  std::string policy{fg::name_of(fg::balancing::private_deque)};
  std::uint64_t threads = 1;
  std::uint64_t tasks_a_worker = 0;  // 0: the workload's own number
  std::uint64_t seed = 1;
  bool is_asleep = false;  // whether the workers sleep as the workload begins
  sim::bracket times = sim::bracket::usual;
  std::uint64_t jitter_percent = 0;  // of the machine's times; 0: as they are
};

struct outcome {
  std::uint64_t tasks = 0;
  std::uint64_t pool_bytes = 0;
  std::uint32_t longest_chain = 0;
  std::uint64_t most_transfers = 0;  // of one thread
  double virtual_ns = 0;             // that the workload took
  sim::counts counted;
};

std::uint64_t number(std::string_view option, const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value == 0) {
    throw std::invalid_argument(std::string{option} + " takes a positive whole number");
  }
  return value;
}

const sim::workload& find_workload(std::string_view name) {
  for (const sim::workload& each : sim::kWorkloads) {
    if (each.name == name) {
      return each;
    }
  }
  throw std::invalid_argument("there is no workload " + std::string{name});
}

sim::bracket find_bracket(std::string_view name) {
  const auto* const at = std::ranges::find(kBrackets, name);
  if (at == kBrackets.end()) {
    throw std::invalid_argument("--times takes low, usual or high");
  }
  return static_cast<sim::bracket>(at - kBrackets.begin());
}

setting parse(std::span<char*> arguments) {
  setting it;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string_view option = arguments[i];
    if (i + 1 == arguments.size()) {
      throw std::invalid_argument(std::string{option} + " takes a value");
    }
    const std::string value = arguments[i + 1];
    if (option == "--machine") {
      it.machine = value;
    } else if (option == "--workload") {
      it.what = &find_workload(value);
    } else if (option == "--policy") {
      it.policy = value;
    } else if (option == "--threads") {
      it.threads = number(option, value);
    } else if (option == "--tasks-a-worker") {
      it.tasks_a_worker = number(option, value);
    } else if (option == "--seed") {
      it.seed = number(option, value);
    } else if (option == "--times") {
      it.times = find_bracket(value);
    } else if (option == "--jitter") {
      it.jitter_percent = number(option, value);
    } else if (option == "--start" && (value == "awake" || value == "asleep")) {
      it.is_asleep = value == "asleep";
    } else {
      throw std::invalid_argument("there is no option " + std::string{option} + ' ' + value);
    }
  }
  if (it.tasks_a_worker == 0) {
    it.tasks_a_worker = it.what->tasks_a_worker;
  }
  if (it.threads > 256) {
    throw std::invalid_argument("at most 256 threads");
  }
  if (it.jitter_percent > 100) {
    throw std::invalid_argument("--jitter takes at most 100");
  }
  return it;
}

// Longer than a thread takes to wake up, shorter than it looks for work before it sleeps (200 us).
constexpr double kUntilThreadsHaveStartedNs = 150e3;
constexpr double kBeyondAnyBudgetNs = 20e6;

// On the main virtual thread. The pool is not destroyed: its end is not what is counted, and with
// the threads of 256 workers it would take longer than that.
outcome simulate(const setting& asked) {
  outcome found;
  const std::size_t before = sim::bytes_in_use();
  fg::pool* const pool = asked.what->is_of_pool
                             ? new fg::pool{{.workers = asked.threads,
                                             .policy = asked.policy,
                                             .placement = fg::worker_placement::untied,
                                             .pinning = fg::worker_pinning::never}}
                             : nullptr;
  found.pool_bytes = sim::bytes_in_use() - before;
  const auto run_here = [&](std::uint64_t tasks_a_worker) {
    const double begin = sim::virtual_ns();
    const std::uint64_t tasks = asked.what->run(asked.threads, tasks_a_worker);
    found.virtual_ns = sim::virtual_ns() - begin;
    return tasks;
  };
  const auto run = [&](std::uint64_t tasks_a_worker) {
    return pool != nullptr ? pool->run([&] { return run_here(tasks_a_worker); })
                           : run_here(tasks_a_worker);
  };
  sim::sleep_ns(kUntilThreadsHaveStartedNs);
  // So that caches and learnt budgets are as in the middle of a program.
  run((asked.tasks_a_worker + 3) / 4);
  if (asked.is_asleep) {
    sim::sleep_ns(kBeyondAnyBudgetNs);
  }
  const sim::counts begin = sim::counted();
  sim::begin_counting();
  found.tasks = run(asked.tasks_a_worker);
  found.counted.add(sim::counted(), begin, 1);
  found.longest_chain = sim::longest_wake_up_chain();
  found.most_transfers = sim::most_line_transfers();
  return found;
}

void print(const setting& asked, const std::string& machine, const outcome& found) {
  std::printf(
      R"({"workload": "%s", "policy": "%s", "threads": %llu, "start": "%s", "seed": %llu, "times": "%s", )",
      std::string{asked.what->name}.c_str(), asked.policy.c_str(),
      static_cast<unsigned long long>(asked.threads), asked.is_asleep ? "asleep" : "awake",
      static_cast<unsigned long long>(asked.seed),
      std::string{kBrackets[static_cast<std::size_t>(asked.times)]}.c_str());
  std::printf(
      R"("machine": "%s", "tasks": %llu, "pool_bytes": %llu, "longest_wake_up_chain": %u, )",
      machine.c_str(), static_cast<unsigned long long>(found.tasks),
      static_cast<unsigned long long>(found.pool_bytes), found.longest_chain);
  std::printf(R"("most_line_transfers": %llu, "virtual_ns": %.0f)",
              static_cast<unsigned long long>(found.most_transfers), found.virtual_ns);
  for (std::size_t i = 0; i < sim::kCountNames.size(); ++i) {
    std::printf(R"(, "%s": %llu)", sim::kCountNames[i],
                static_cast<unsigned long long>(found.counted[static_cast<sim::count>(i)]));
  }
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const setting asked = parse({argv, static_cast<std::size_t>(argc)});
    const sim::machine usual = sim::read_machine(asked.machine, asked.times);
    const sim::machine on =
        asked.jitter_percent == 0 ? usual : sim::jittered(usual, asked.jitter_percent, asked.seed);
    outcome found;
    {
      sim::simulator simulated{on, asked.seed};
      simulated.run([&] { found = simulate(asked); });
    }
    print(asked, on.name, found);
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "finegrain-sim: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "finegrain-sim: %s\n", error.what());
    return 1;
  }
}
