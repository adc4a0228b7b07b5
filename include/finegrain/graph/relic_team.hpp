// The two threads of a relic run a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/controller/exploration_budget.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/two_lanes.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "finegrain/wait/wait.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

template <class Relic>
class relic_team {
 public:
  explicit relic_team(Relic& relic) noexcept : relic_{relic} {}

  [[nodiscard]] Relic& relic() const noexcept { return relic_; }
  [[nodiscard]] bool can_share() const noexcept { return relic_access::can_share(relic_); }
  /// Requires: not `can_share`. False: another thread than the relic's, or within a task.
  [[nodiscard]] bool never_shares() const noexcept { return relic_.inline_mode(); }
  [[nodiscard]] bool is_ready() const noexcept { return relic_access::is_ready(relic_); }
  [[nodiscard]] bool is_asleep() const noexcept { return relic_.is_asleep(); }
  void wake() noexcept { relic_access::wake_if_asleep(relic_); }
  void miss_sleeper() noexcept { relic_access::miss_sleeper(relic_); }
  void count_kept(std::uint64_t runs) noexcept { relic_access::count_inlined(relic_, runs); }
  [[nodiscard]] std::uint64_t round_trip_ticks() { return relic_access::round_trip_ticks(relic_); }
  [[nodiscard]] detail::lane_costs lane_costs() {
    const std::uint64_t way = round_trip_ticks() / 2;
    return {.begin = way, .cross = way};
  }
  [[nodiscard]] const long_wait& waited() noexcept { return relic_access::long_wait(relic_); }
  [[nodiscard]] std::uint64_t period_ticks() const noexcept {
    return relic_access::period_ticks(relic_);
  }

  /// The second lane on the assistant. It has a CPU to itself, so it waits by looking. The main
  /// thread, where it waits in its lane, runs no task: it would find the second lane on top of its
  /// own.
  template <bool Timed>
  void run_lanes(two_lanes& lanes) {
    auto second = relic_.fork([&lanes]() noexcept {
      const auto look = [](const void* /*word*/, const auto& done) noexcept {
        for (spin_wait<> wait; !done();) {
          wait();
        }
        return true;
      };
      lanes.run<1, Timed>(look, [] {});
    });
    relic_access::long_wait(relic_).ticks = 0;
    run_first<Timed>(lanes);
    second.get();
  }

 private:
  template <bool Timed>
  void run_first(two_lanes& lanes) noexcept {
    [[maybe_unused]] const auto only_looks = relic_access::without_help(relic_);
    const auto wait = [this](const void* word, const auto& done) {
      relic_access::await(relic_, word, done);
      return true;
    };
    lanes.run<0, Timed>(wait, [] {});
  }

  Relic& relic_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
