// Whether relics and pools know this machine and share work on it, in words to send to us. Without
// GoogleTest.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/host_view.hpp"

namespace {

int failures = 0;

void require(bool holds, const char* what) {
  if (!holds) {
    std::printf("WRONG: %s\n", what);
    ++failures;
  }
}

// Computes for so long.
void work(std::chrono::nanoseconds time) {
  const std::uint64_t end = fg::ticks() + fg::to_ticks(time);
  while (fg::ticks() < end) {
  }
}

// Each class of cores with its CPUs, and how they share.
void show_cpus() {
  const fg::topology machine = fg::system_topology();
  std::printf("%zu CPUs, from %s\n", machine.cpus.size(), machine.source.c_str());
  for (const fg::logical_cpu& each : machine.cpus) {
    std::printf("  CPU %d: core %d, L2 %d, L3 %d, package %d, class %d\n", each.id, each.core,
                each.l2, each.l3, each.package, each.efficiency_class);
    require(each.efficiency_class >= 0, "a class is not negative");
  }
  for (const int cpu : fg::usable_cpus()) {
    require(machine.find(cpu) != nullptr, "each usable CPU is in the topology");
  }
  const std::error_code refused = fg::pin_this_thread(-1);
  require(static_cast<bool>(refused), "there is no CPU -1");
}

// What share of tasks of 5 ms ran on the assistant.
double offloaded_share(fg::relic& relic) {
  constexpr int kTasks = 20;
  const std::thread::id main = std::this_thread::get_id();
  int elsewhere = 0;
  for (int i = 0; i < kTasks; ++i) {
    using namespace std::chrono_literals;
    auto task = relic.fork([main] {
      work(5ms);
      return std::this_thread::get_id() != main;
    });
    work(5ms);
    elsewhere += task.get() ? 1 : 0;
  }
  return static_cast<double>(elsewhere) / kTasks;
}

void use_relic() {
  fg::relic relic;
  long sum = 0;
  constexpr long kTasks = 100'000;
  for (long i = 0; i < kTasks; ++i) {
    relic.submit([&sum] { ++sum; });
  }
  relic.wait();
  require(sum == kTasks, "a relic runs each task once");
  if (relic.inline_mode()) {
    std::printf("relic: no assistant: %s\n", relic.inline_reason().c_str());
    return;
  }
  const double share = offloaded_share(relic);
  std::printf("relic: %s; %.0f %% of tasks of 5 ms on the assistant\n",
              relic.placement().reason.c_str(), share * 100);
  require(share >= 0.5, "an assistant runs most tasks, also beside other programs");
}

long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = fg::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void use_pool() {
  fg::pool pool{{.placement = fg::worker_placement::every_cpu}};
  const std::size_t cpus = fg::usable_cpus().size();
  std::printf("pool: %zu workers for %zu usable CPUs\n", pool.size(), cpus);
  require(cpus == 0 || fg::quota_cpus() || pool.size() == cpus, "a pool has a worker for each CPU");
  require(pool.run([] { return fib(25); }) == 75'025, "fib(25)");
}

// Threads of other classes work, too; whether they may have them the system decides.
void use_classes() {
  using fg::scheduling_class;
  for (const scheduling_class kind :
       {scheduling_class::normal, scheduling_class::batch, scheduling_class::fifo}) {
    fg::relic relic{{.scheduling = {.kind = kind}}};
    int ran = 0;
    relic.submit([&ran] { ++ran; });
    relic.wait();
    require(ran == 1, "a relic of some scheduling class runs its task");
    std::printf("scheduling class %d: %s\n", static_cast<int>(kind),
                relic.scheduling_refusal().empty() ? "set" : relic.scheduling_refusal().c_str());
  }
}

}  // namespace

int main() {
  show_cpus();
  use_relic();
  use_pool();
  use_classes();
  return failures == 0 ? 0 : 1;
}
