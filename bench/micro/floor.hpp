// The floor: what one cache line there and back costs.
#pragma once

#include <cstdint>

namespace fg::bench {

/// Bounces one line `round_trips` times between the calling thread and one on `other_cpu`, without
/// pause, and returns the mean of a round trip, ns. Every hand-off of a task and of its completion
/// sends at least that. Ties the calling thread to `cpu`.
/// Throws std::runtime_error when a CPU can not be used.
[[nodiscard]] double measure_floor_ns(int cpu, int other_cpu, std::uint64_t round_trips);

}  // namespace fg::bench
