// Which place each thread of a region gets: OpenMP's thread affinity policies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace fg::omp::runtime {

/// omp_proc_bind_t, and one more.
enum class binding : int {
  none = 0,
  any = 1,  ///< true: as the runtime likes
  primary = 2,
  close = 3,
  spread = 4,
  in_turn = 5  ///< GOMP_CPU_AFFINITY, KMP_AFFINITY: place after place, and the first ones again
};

/// Where a thread is: its place, and the places that the regions it opens may use.
struct placement {
  int place = -1;  ///< -1: not bound
  int first = 0;
  int count = 0;

  bool operator==(const placement&) const = default;
};

/// The place of one of a region's threads, by OpenMP 5.2 (10.1.3), and its partition. Thread 0
/// stays on the place of `parent`, the thread that opens the region. Where it is up to us which
/// places get one thread, or one place, more than others: those that dividing rounds up.
/// Requires: number < size; parent.place is in its partition, or -1: then no thread is bound.
constexpr placement place_thread(binding how, std::uint32_t number, std::uint32_t size,
                                 const placement& parent) noexcept {
  if (how == binding::none || parent.place < 0) {
    return {.place = -1, .first = parent.first, .count = parent.count};
  }
  if (how == binding::primary) {
    return parent;
  }
  const auto places = static_cast<std::uint64_t>(parent.count);
  const auto own = static_cast<std::uint64_t>(parent.place - parent.first);
  const auto nth = [&](std::uint64_t steps) {
    return parent.first + static_cast<int>((own + steps) % places);
  };
  if (how == binding::in_turn) {
    return {.place = nth(number), .first = parent.first, .count = parent.count};
  }
  const std::uint64_t shared = number * places / size;  // where threads share places
  if (how == binding::close) {
    return {.place = nth(size <= places ? number : shared),
            .first = parent.first,
            .count = parent.count};
  }
  if (size > places) {
    return {.place = nth(shared), .first = nth(shared), .count = 1};
  }
  // The parts begin where the partition does; the primary thread has the one with its place.
  const auto begin_of = [&](std::uint64_t part) { return part * places / size; };
  const std::uint64_t primary_part = ((own + 1) * size - 1) / places;
  const std::uint64_t part = (primary_part + number) % size;
  const int first = parent.first + static_cast<int>(begin_of(part));
  return {.place = number == 0 ? parent.place : first,
          .first = first,
          .count = static_cast<int>(begin_of(part + 1) - begin_of(part))};
}

}  // namespace fg::omp::runtime
