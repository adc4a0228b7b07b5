// SPDX-License-Identifier: Apache-2.0
#include "programs/omp/thread_delays.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "finegrain/core/cache_line.hpp"
#include "kernels/spin/lcg_chain.hpp"
#include "programs/frame/program_errors.hpp"

namespace fg::bench {

namespace {

constexpr std::uint64_t kStart = 2024;
constexpr std::uint64_t kSteps = 100;  // about 900 per microsecond (EPYC 9004)

struct alignas(kCacheLineBytes) chain {
  std::uint64_t end = kStart;
  std::uint64_t delays = 0;
};

std::mutex mutex;
std::deque<chain> chains;  // a deque, so that no element moves
std::uint64_t number = 1;  // written before the delays of its count
thread_local std::uint64_t seen_in = 0;
thread_local chain* own = nullptr;

void come_in() {
  const std::lock_guard guard{mutex};
  seen_in = number;
  own = &chains.emplace_back();
}

}  // namespace

void thread_delays::begin() {
  const std::lock_guard guard{mutex};
  chains.clear();
  ++number;
}

void thread_delays::delay() {
  if (seen_in != number) [[unlikely]] {
    come_in();
  }
  own->end = walk_lcg_chain(own->end, kSteps);
  ++own->delays;
}

void thread_delays::require(std::size_t threads, std::uint64_t delays) {
  const std::lock_guard guard{mutex};
  if (chains.size() != threads) {
    throw wrong_result(std::to_string(chains.size()) + " threads took part, not " +
                       std::to_string(threads));
  }
  const std::uint64_t end = jump_lcg_chain(kStart, kSteps * delays);
  if (!std::ranges::all_of(chains, [end](const chain& each) { return each.end == end; })) {
    throw wrong_result("a thread has not made " + std::to_string(delays) + " delays");
  }
}

void thread_delays::require_in_all(std::uint64_t delays) {
  const std::lock_guard guard{mutex};
  std::uint64_t made = 0;
  for (const chain& each : chains) {
    if (each.end != jump_lcg_chain(kStart, kSteps * each.delays)) {
      throw wrong_result("a thread has not made the delays that it has counted");
    }
    made += each.delays;
  }
  if (made != delays) {
    throw wrong_result(std::to_string(made) + " delays were made, not " + std::to_string(delays));
  }
}

}  // namespace fg::bench
