// A loop as GNU's compiler describes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hot_team.hpp"

namespace fg::omp::runtime {

/// A loop from `origin` on, by `step`, while it has not reached `bound`. In 64 bits without a sign:
/// where the counter has one, its arithmetic wraps to the same.
struct gomp_loop {
  std::uint64_t origin = 0;
  std::uint64_t bound = 0;
  std::uint64_t step = 1;
  loop_wish wish;
};

/// The iterations of a loop upwards; of one downwards with the bounds exchanged.
inline std::uint64_t count_iterations(std::uint64_t distance, std::uint64_t step) noexcept {
  return distance == 0 ? 0 : (distance - 1) / step + 1;
}

inline gomp_loop signed_loop(long start, long end, long step,
                             schedule_kind schedule = schedule_kind::statically,
                             long chunk = 0) noexcept {
  const auto from = static_cast<std::uint64_t>(start);
  const auto to = static_cast<std::uint64_t>(end);
  const auto by = static_cast<std::uint64_t>(step);
  std::uint64_t count = 0;
  if (step > 0 && start < end) {
    count = count_iterations(to - from, by);
  } else if (step < 0 && start > end) {
    count = count_iterations(from - to, std::uint64_t{0} - by);
  }
  return {.origin = from,
          .bound = to,
          .step = by,
          .wish = {.count = count,
                   .schedule = schedule,
                   .chunk = static_cast<std::uint64_t>(chunk > 0 ? chunk : 0)}};
}

inline gomp_loop unsigned_loop(bool up, unsigned long long start, unsigned long long end,
                               unsigned long long step,
                               schedule_kind schedule = schedule_kind::statically,
                               unsigned long long chunk = 0) noexcept {
  std::uint64_t count = 0;
  if (up && start < end) {
    count = count_iterations(end - start, step);
  } else if (!up && start > end) {
    count = count_iterations(start - end, std::uint64_t{0} - step);
  }
  return {.origin = start,
          .bound = end,
          .step = step,
          .wish = {.count = count, .schedule = schedule, .chunk = chunk}};
}

/// Sections are iterations, numbered from 1 on and handed out one by one.
inline gomp_loop sections_loop(unsigned count) noexcept {
  return {
      .origin = 1,
      .bound = std::uint64_t{count} + 1,
      .step = 1,
      .wish = {.count = count, .schedule = schedule_kind::dynamic, .chunk = 1, .one_by_one = true}};
}

/// How the iterations that a thread gets follow each other. Without a word of it gcc means any order
/// since its version 9.
inline gomp_loop monotonic(gomp_loop loop) noexcept { return loop; }
inline gomp_loop nonmonotonic(gomp_loop loop) noexcept {
  loop.wish.is_nonmonotonic = true;
  return loop;
}
inline gomp_loop ordered(gomp_loop loop) noexcept {
  loop.wish.is_ordered = true;
  return loop;
}

/// The loop with the schedule of run-sched-var, which each thread takes from its own task.
gomp_loop runtime_loop(gomp_loop loop) noexcept;

/// Enters the loop with the calling thread's part.
void enter_loop(implicit_part& part, const gomp_loop& loop) noexcept;

}  // namespace fg::omp::runtime
