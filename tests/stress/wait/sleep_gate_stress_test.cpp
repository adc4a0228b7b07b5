// No wake-up is lost: a publication that the sleeper did not see wakes it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <thread>

#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"
#include "finegrain/wait/sleep_gate.hpp"
#include "support/sanitizer.hpp"

namespace {

class sleep_gate_stress : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(fences, sleep_gate_stress, testing::Bool(), [](const auto& param_info) {
  return param_info.param ? "asymmetric" : "full";
});

// The waker increments a number and waits for each to arrive; the sleeper sleeps whenever it sees
// no new one. A lost wake-up would leave both waiting forever: the test's time limit ends it.
TEST_P(sleep_gate_stress, every_publication_arrives) {
  if (GetParam() && !fg::detail::asymmetric_fence::available()) {
    GTEST_SKIP() << "this system has no membarrier";
  }
  const std::uint64_t rounds = fg::test::kSlow ? 20'000 : 200'000;
  fg::detail::sleep_gate gate{GetParam()};
  fg::atomic<std::uint64_t> published{0};
  fg::atomic<std::uint64_t> seen{0};
  std::uint64_t sleeps = 0;
  std::thread sleeper{[&] {
    for (std::uint64_t next = 1; next <= rounds;) {
      if (published.load(fg::memory_order_acquire) == next) {
        seen.store(next, fg::memory_order_release);
        ++next;
      } else {
        sleeps += static_cast<std::uint64_t>(
            gate.sleep_unless([&] { return published.load(fg::memory_order_acquire) == next; }));
      }
    }
  }};
  std::mt19937_64 random{20261121};
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    // Around the moment at which the sleeper announces itself, to within some cycles, and
    // occasionally long after it.
    for (std::uint64_t i = random() % (round % 16 == 0 ? 20'000 : 300); i != 0; --i) {
      fg::signal_fence(fg::memory_order_seq_cst);
    }
    published.store(round, fg::memory_order_release);
    if (gate.needs_attention()) {
      gate.wake_sleeper();
    }
    while (seen.load(fg::memory_order_acquire) != round) {
    }
  }
  sleeper.join();
  EXPECT_GT(sleeps, 0U);
}

}  // namespace
