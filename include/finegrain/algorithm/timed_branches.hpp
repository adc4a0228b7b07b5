// Runs two branches on the calling thread, and tells their call site how long they took.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/controller/call_site.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// `round_trip`: see `call_site::timed_serial`.
template <class F, class G>
branch_values<F, G> run_timed_here(F& f, G& g, call_site& site, std::uint64_t round_trip) {
  const std::uint64_t start = ticks();
  std::uint64_t middle = start;
  const auto f_timed = [&] {
    struct mark {
      std::uint64_t& at;
      ~mark() { at = ticks(); }
    } const end{middle};
    return result_of(f);
  };
  auto values = run_both_here(f_timed, g);
  const std::uint64_t end = ticks();
  site.timed_serial(middle - start, end - middle, end, round_trip);
  return values;
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
