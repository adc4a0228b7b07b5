// How long two branches must be to gain by a relic, in a browser: prints one line of JSON per length,
// which break_even.html draws.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "finegrain/relic.hpp"

namespace {

using ns = std::chrono::duration<double, std::nano>;

constexpr std::array kBranchesNs{50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 10e3, 20e3, 50e3};
// A browser's clock advances in steps of 5 us or more: a batch takes a thousand of them.
constexpr double kBatchNs = 5e6;
constexpr std::size_t kPairs = 9;

// A chain of dependent steps, which no compiler shortens.
std::uint32_t steps(std::uint32_t from, long count) {
  for (long i = 0; i < count; ++i) {
    from ^= from << 13;
    from ^= from >> 17;
    from ^= from << 5;
  }
  return from;
}

template <class Call>
double ns_per_call(long calls, Call call) {
  const auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < calls; ++i) {
    call();
  }
  return ns{std::chrono::steady_clock::now() - begin}.count() / static_cast<double>(calls);
}

struct branches {
  long length;  // steps of each
  std::uint32_t left = 1;
  std::uint32_t right = 2;

  void serial() {
    left = steps(left, length);
    right = steps(right, length);
  }
  // Not by `fork_join`, which decides by a finer clock than a browser's (docs/portability.md).
  void shared(fg::relic& relic) {
    relic.submit([this] { right = steps(right, length); });
    left = steps(left, length);
    relic.wait();
  }
};

double steps_per_ns() {
  constexpr long kSteps = 10'000'000;
  std::uint32_t sink = 1;
  double least = ns_per_call(1, [&] { sink = steps(sink, kSteps); });
  for (int i = 0; i < 4; ++i) {
    least = std::min(least, ns_per_call(1, [&] { sink = steps(sink, kSteps); }));
  }
  return sink == 0 ? 0 : kSteps / least;
}

// False: shared code computes something else.
bool measure(fg::relic& relic, double branch_ns, double per_ns) {
  const long length = std::max(1L, static_cast<long>(branch_ns * per_ns));
  const long calls = std::max(1L, static_cast<long>(kBatchNs / (2 * branch_ns)));
  branches alone{length};
  branches both{length};
  std::array<double, kPairs> serial_ns{};
  std::array<double, kPairs> speedups{};
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    serial_ns[pair] = ns_per_call(calls, [&] { alone.serial(); });
    speedups[pair] = serial_ns[pair] / ns_per_call(calls, [&] { both.shared(relic); });
  }
  std::sort(serial_ns.begin(), serial_ns.end());
  std::sort(speedups.begin(), speedups.end());
  std::printf(R"({"branch_ns": %.1f, "speedup": %.3f, "low": %.3f, "high": %.3f})"
              "\n",
              serial_ns[kPairs / 2] / 2, speedups[kPairs / 2], speedups[kPairs / 4],
              speedups[kPairs - 1 - kPairs / 4]);
  return alone.left == both.left && alone.right == both.right;
}

}  // namespace

int main() {
  fg::relic relic;
  if (relic.inline_mode()) {
    std::fprintf(stderr, "no assistant: %s\n", relic.placement().reason.c_str());
    return 1;
  }
  const double per_ns = steps_per_ns();
  for (const double branch_ns : kBranchesNs) {
    if (!measure(relic, branch_ns, per_ns)) {
      std::fprintf(stderr, "shared code computes something else than serial code\n");
      return 1;
    }
  }
}
