// What two threads pass to each other, without a pool: as the lab's handoff and queues measure it.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <thread>

#include "finegrain/core/pause.hpp"
#include "finegrain/queue/spsc_ring.hpp"
#include "finegrain/relic.hpp"
#include "sim/workloads.hpp"

namespace sim {
namespace {

std::uint64_t hand_over(std::uint64_t bursts, std::uint64_t tasks_a_burst) {
  fg::relic relic;
  std::uint64_t ran = 0;
  for (std::uint64_t burst = 0; burst != bursts; ++burst) {
    for (std::uint64_t task = 0; task != tasks_a_burst; ++task) {
      relic.submit([&ran]() noexcept { ++ran; });
    }
    relic.wait();
  }
  return ran;
}

using queue = fg::detail::spsc_ring<std::uint64_t>;

constexpr std::size_t kCapacity = 1024;

void push(queue& to, std::uint64_t item) {
  while (!to.try_push(item)) {
    fg::pause();
  }
}

std::uint64_t pop(queue& from) {
  std::uint64_t item = 0;
  while (!from.try_pop(item)) {
    fg::pause();
  }
  return item;
}

}  // namespace

std::uint64_t hand_over_one_by_one(std::uint64_t /*threads*/, std::uint64_t times) {
  return hand_over(times, 1);
}

std::uint64_t hand_over_bursts(std::uint64_t /*threads*/, std::uint64_t times) {
  constexpr std::uint64_t kBurst = 64;
  return hand_over(times, kBurst);
}

std::uint64_t pass_to_and_fro(std::uint64_t /*threads*/, std::uint64_t times) {
  queue there{kCapacity};
  queue back{kCapacity};
  std::thread other{[&] {
    for (std::uint64_t item = 0; item != times; ++item) {
      push(back, pop(there));
    }
  }};
  std::uint64_t right = 0;
  for (std::uint64_t item = 0; item != times; ++item) {
    push(there, item);
    right += pop(back) == item ? 1U : 0U;
  }
  other.join();
  return 2 * right;
}

std::uint64_t pass_on(std::uint64_t /*threads*/, std::uint64_t times) {
  queue there{kCapacity};
  std::uint64_t right = 0;
  std::thread other{[&] {
    for (std::uint64_t item = 0; item != times; ++item) {
      right += pop(there) == item ? 1U : 0U;  // read, as by a program that wants it
    }
  }};
  for (std::uint64_t item = 0; item != times; ++item) {
    push(there, item);
  }
  other.join();
  return right;
}

}  // namespace sim
