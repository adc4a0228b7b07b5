// SPDX-License-Identifier: Apache-2.0
#include "finegrain_info/measure.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <thread>

#include "finegrain/core/clock.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/round_trip.hpp"
#include "finegrain/relic/relic.hpp"

namespace fg::info {

namespace {

constexpr std::uint64_t kRoundTripsPerBatch = 2000;

// Measures several batches, since an interrupt affects only one.
template <class Batch>
measured measure_batches(Batch batch) {
  std::array<double, 7> batches_ns{};
  for (double& each : batches_ns) {
    each = batch();
  }
  std::ranges::sort(batches_ns);
  return {.median = batches_ns.at(batches_ns.size() / 2),
          .least = batches_ns.front(),
          .most = batches_ns.back()};
}

// Runs `measurement` on a thread of its own, which it may pin to a CPU. Returns empty if it throws:
// a CPU cannot be used, the system refuses a thread, or the processor lacks instructions.
template <class Measurement>
std::optional<measured> try_to_measure(Measurement measurement) {
  std::optional<measured> result;
  std::thread{[&] {
    try {
      result = measurement();
    } catch (const std::exception&) {
      result.reset();
    }
  }}.join();
  return result;
}

std::optional<measured> measure_relic(const placement& pair) {
  if (pin_this_thread(pair.main_cpu)) {
    return std::nullopt;
  }
  relic pinned{{.assistant_cpu = pair.assistant_cpu}};
  // NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape): its destructor takes it off the list
  return measure_batches([&pinned] {
    const std::uint64_t start = ticks();
    for (std::uint64_t i = 0; i < kRoundTripsPerBatch; ++i) {
      pinned.submit([] {});
      pinned.wait();
    }
    return to_ns(ticks() - start) / static_cast<double>(kRoundTripsPerBatch);
  });
}

}  // namespace

round_trips measure_round_trips(const std::vector<int>& cpus) {
  const std::vector<std::optional<double>> no_trips(cpus.size());
  round_trips trips{.cpus = cpus, .matrix{cpus.size(), no_trips}};
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    for (std::size_t j = i + 1; j < cpus.size(); ++j) {
      const std::optional<measured> trip_ns = try_to_measure([&] {
        return measure_batches(
            [&] { return measure_round_trip_ns(cpus[i], cpus[j], kRoundTripsPerBatch); });
      });
      if (trip_ns) {  // a round trip is the same in both directions
        trips.matrix[i][j] = trip_ns->median;
        trips.matrix[j][i] = trip_ns->median;
      }
    }
  }
  return trips;
}

std::optional<measured> measure_break_even_ns(const placement& pair) {
  if (!pair.assistant_cpu) {
    return std::nullopt;
  }
  return try_to_measure([&pair] { return measure_relic(pair); });
}

}  // namespace fg::info
