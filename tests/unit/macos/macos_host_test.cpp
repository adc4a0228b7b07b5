// What a relic and a pool do on a Mac, whose answers are made up here: host/macos.hpp in place of
// this system's part.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/host/round_trip.hpp"
#include "finegrain/hybrid/hybrid_pool.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/thread/macos_qos.hpp"

namespace {

// An M1: four performance cores and four efficiency cores. Numbers of 4 bytes, as most are.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 11> kM1{{
    {"hw.logicalcpu", 8},
    {"hw.physicalcpu", 8},
    {"hw.packages", 1},
    {"hw.nperflevels", 2},
    {"hw.perflevel0.logicalcpu", 4},
    {"hw.perflevel0.physicalcpu", 4},
    {"hw.perflevel0.cpusperl2", 4},
    {"hw.perflevel1.logicalcpu", 4},
    {"hw.perflevel1.physicalcpu", 4},
    {"hw.perflevel1.cpusperl2", 4},
    {"hw.cachelinesize", 128},
}};
constexpr std::array<std::uint64_t, 10> kCacheConfig{8, 1, 4};

// A virtual machine with one CPU, while it is set.
bool has_one_cpu = false;

int answer(const void* numbers, std::size_t bytes, void* into, std::size_t* room) {
  if (*room < bytes) {
    return -1;
  }
  std::memcpy(into, numbers, bytes);
  *room = bytes;
  return 0;
}

}  // namespace

extern "C" int sysctlbyname(const char* name, void* into, std::size_t* size, void* wanted,
                            std::size_t /*wanted_size*/) {
  EXPECT_EQ(wanted, nullptr);  // nothing is to be set
  if (name == std::string_view{"hw.cacheconfig"}) {
    return answer(kCacheConfig.data(), sizeof kCacheConfig, into, size);
  }
  for (const auto& [known, number] : kM1) {
    if (name == known) {
      const std::uint32_t said = has_one_cpu ? 1 : number;
      return answer(&said, sizeof said, into, size);
    }
  }
  return -1;
}

namespace {

using namespace std::chrono_literals;
using fg::detail::macos::qos;

void work(std::chrono::nanoseconds time) {
  const std::uint64_t end = fg::ticks() + fg::to_ticks(time);
  while (fg::ticks() < end) {
  }
}

TEST(macos_host, knows_the_cpus_and_their_kinds) {
  EXPECT_EQ(fg::usable_cpus(), (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  const fg::topology found = fg::system_topology();
  ASSERT_EQ(found.cpus.size(), 8U);
  EXPECT_EQ(found.cpus[0],
            (fg::logical_cpu{.id = 0, .core = 0, .package = 0, .l2 = 0, .efficiency_class = 1}));
  EXPECT_EQ(found.cpus[7], (fg::logical_cpu{.id = 7, .core = 7, .package = 0, .l2 = 4}));
  EXPECT_EQ(fg::current_cpu(), -1);
  EXPECT_EQ(fg::quota_cpus(), std::nullopt);
}

TEST(macos_host, reads_numbers_of_both_widths) {
  EXPECT_EQ(fg::detail::macos::sysctl_answer{"hw.cacheconfig"}.all(),
            (std::vector<std::uint64_t>{8, 1, 4, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(fg::detail::macos::sysctl_answer{"hw.packages"}.all(), std::vector<std::uint64_t>{1});
  EXPECT_TRUE(fg::detail::macos::sysctl_answer{"hw.nonsense"}.all().empty());
  EXPECT_EQ(fg::detail::macos::sysctl_answer{"hw.nonsense"}.front(), 0U);
}

TEST(macos_host, refuses_to_pin_and_says_why) {
  const std::error_code refused = fg::pin_this_thread(0);
  EXPECT_EQ(refused.message(), "macOS has no thread affinity");
  EXPECT_EQ(refused, std::errc::function_not_supported);
  EXPECT_EQ(fg::pin_this_thread(1024), std::errc::invalid_argument);
  EXPECT_EQ(fg::allowed_cpus().size(), 8U);
  try {
    fg::measure_round_trip_ns(0, 1, 1);
    ADD_FAILURE() << "it was measured";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), std::string{"cannot run on CPU 0: macOS has no thread affinity"});
  }
}

TEST(macos_relic, shares_without_a_place) {
  fg::relic relic{{.main_helps = false}};
  ASSERT_FALSE(relic.inline_mode()) << relic.inline_reason();
  EXPECT_EQ(relic.placement().reason, "macOS has no thread affinity");
  EXPECT_EQ(relic.placement().main_cpu, -1);
  EXPECT_EQ(relic.placement().assistant_cpu, std::nullopt);
  const std::thread::id main = std::this_thread::get_id();
  for (int i = 0; i < 10; ++i) {
    auto is_elsewhere = relic.fork([main] {
      work(100us);
      return std::this_thread::get_id() != main;
    });
    EXPECT_TRUE(is_elsewhere.get());
  }
}

TEST(macos_relic, cannot_have_the_cpu_that_was_asked_for) {
  try {
    const fg::relic relic{{.assistant_cpu = 3}};
    ADD_FAILURE() << "it was pinned";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::function_not_supported);
    EXPECT_EQ(
        error.what(),
        std::string{"relic: the assistant cannot run on CPU 3: macOS has no thread affinity"});
  }
}

TEST(macos_relic, runs_inline_on_one_cpu) {
  has_one_cpu = true;
  const fg::relic relic;
  has_one_cpu = false;
  EXPECT_TRUE(relic.inline_mode());
  EXPECT_EQ(relic.inline_reason(), "one usable CPU");
}

TEST(macos_pool, has_a_worker_for_each_cpu_and_pins_none) {
  for (const fg::worker_pinning pinning :
       {fg::worker_pinning::automatic, fg::worker_pinning::always}) {
    fg::pool pool{{.pinning = pinning}};
    EXPECT_EQ(pool.size(), 8U);
    EXPECT_EQ(pool.cpus(), std::vector<int>(8, -1));
    std::vector<char> ran(pool.size(), 0);
    fg::broadcast(pool, [&ran](std::size_t id) { ran[id] = 1; });
    EXPECT_EQ(ran, std::vector<char>(8, 1));
  }
}

TEST(macos_pool, of_a_hybrid_has_no_assistants) {
  fg::hybrid_pool pool{{.workers = 2}};
  EXPECT_EQ(pool.run([&pool] {
    const auto [left, right] = pool.fork_join_fine([] { return 2; }, [] { return 3; });
    return left * right;
  }),
            6);
}

TEST(macos_qos, stands_for_a_scheduling_class) {
  using fg::scheduling_class;
  const auto of = [](scheduling_class kind, int priority = 0) {
    return fg::detail::macos::qos_for({.kind = kind, .priority = priority}, qos::user_initiated);
  };
  EXPECT_EQ(of(scheduling_class::inherit), qos::user_initiated);
  EXPECT_EQ(of(scheduling_class::normal), qos::standard);
  EXPECT_EQ(of(scheduling_class::batch), qos::utility);
  EXPECT_EQ(of(scheduling_class::idle), qos::background);
  EXPECT_EQ(of(scheduling_class::fifo), qos::user_interactive);
  EXPECT_EQ(of(scheduling_class::round_robin, 1), qos::user_interactive);
  EXPECT_EQ(of(scheduling_class::round_robin, 2), qos::user_initiated);  // refused: keeps its own
}

}  // namespace
