#include "finegrain/core/wait.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

#include "finegrain/core/affinity.hpp"
#include "finegrain/core/atomic.hpp"
#include "support/on_thread.hpp"

namespace {

// Two threads on one CPU play ping-pong. A waiter that only spins uses up its time slice, some
// milliseconds, before the other one may answer; one that yields does after 20 us. Pauses are
// counted, not time, so a busy machine changes nothing: at 25 ns a pause (EPYC
// 9004) a slice of 3 ms is 120,000 of them, 20 us 800.
TEST(spin_wait, gives_way_to_the_thread_that_it_waits_for) {
  constexpr std::uint64_t kTurns = 500;
  constexpr std::uint64_t kMostPausesPerTurn = 15'000;
  std::uint64_t pauses = 0;
  fg::test::on_thread([&pauses] {
    ASSERT_FALSE(fg::pin_this_thread(fg::usable_cpus().front()));
    fg::atomic<std::uint64_t> turn{0};
    const auto play = [&turn](std::uint64_t mine) {
      std::uint64_t count = 0;
      for (std::uint64_t next = mine; next < kTurns; next += 2) {
        for (fg::spin_wait pause; turn.load() != next; ++count) {
          pause();
        }
        turn.store(next + 1);
      }
      return count;
    };
    std::uint64_t others = 0;
    std::thread other{[&] { others = play(1); }};  // inherits the one CPU
    const std::uint64_t own = play(0);
    other.join();
    pauses = own + others;
  });
  EXPECT_LT(pauses / kTurns, kMostPausesPerTurn);
}

}  // namespace
