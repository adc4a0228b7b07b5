// The CPUs that a pool's threads have, and that no other pool gets meanwhile.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/pool/pinning.hpp"
#include "finegrain/pool/pool_options.hpp"
#include "finegrain/pool/seating.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A choice and the claim on it; the claim is empty where nobody is tied.
struct claimed_seating : seating {
  pool_cpu_claim claim{};
};

namespace detail {

inline std::vector<pool_cpu> cpus_to_claim(const seating& seats) {
  std::vector<pool_cpu> cpus;
  for (const int cpu : seats.cpus) {
    if (cpu >= 0) {
      cpus.push_back({.cpu = cpu, .is_tied = true});
    }
  }
  if (!cpus.empty() && seats.callers_cpu >= 0) {
    cpus.push_back({.cpu = seats.callers_cpu, .is_tied = false});
  }
  return cpus;
}

}  // namespace detail

/// `choose_seats` under `pinning`, and claims the choice in `registry`, in one step; does not touch
/// that where nobody is to be tied. The set of claimed CPUs stays as it is when a worker makes way
/// for the caller: they swap theirs. Throws std::bad_alloc; then nothing is claimed.
inline claimed_seating claim_seats(cpu_registry& registry, const host_view& host,
                                   std::span<const int> allowed, int main_cpu,
                                   worker_placement placement, worker_pinning pinning,
                                   std::size_t workers) {
  seating seats;
  if (pinning == worker_pinning::never || placement == worker_placement::untied) {
    seats = choose_seats(host, allowed, main_cpu, placement, workers);
    return {{.cpus = std::vector<int>(seats.cpus.size(), -1)}};
  }
  pool_cpu_claim claim = registry.claim_for_pool([&](const claimed_cpus& others) {
    seats = choose_seats(host, allowed, main_cpu, placement, workers,
                         pinning == worker_pinning::automatic ? others : claimed_cpus{});
    return detail::cpus_to_claim(seats);
  });
  return {std::move(seats), std::move(claim)};
}

}  // namespace fg::inline FINEGRAIN_ABI
