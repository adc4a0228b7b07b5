// A pipeline as it is run: its rooms, the times of its stages, and whether other threads take part.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "finegrain/core/clock.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/graph/lane_schedule.hpp"
#include "finegrain/graph/node_times.hpp"
#include "finegrain/graph/pool_team.hpp"
#include "finegrain/graph/relic_team.hpp"
#include "finegrain/graph/replay.hpp"
#include "finegrain/pipeline/explained_line.hpp"
#include "finegrain/pipeline/relic_halves.hpp"
#include "finegrain/pipeline/stage_division.hpp"
#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/pipeline/token_flow.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The `Plan` of graph/replay.hpp: what is for a graph a run is here a batch of tokens, what is a node
/// there is a stage.
class line {
 public:
  line(const stage_functions& functions, void* owner)
      : calls_{functions, owner},
        times_{calls_.stages()},
        division_{times_.all(), functions.modes} {}
  line(const line&) = delete;
  line& operator=(const line&) = delete;

  /// How many tokens there are at once, if the program asks for so many, 0: for none. Throws
  /// std::length_error.
  [[nodiscard]] static std::size_t rooms_for(std::size_t asked, const pool& workers) {
    return rooms_for(asked, workers.size(), kMostRooms);
  }
  template <relic_like Relic>
  [[nodiscard]] static std::size_t rooms_for(std::size_t asked, const Relic& /*relic*/) {
    return rooms_for(asked, 2, relic_halves::kMostRooms);
  }

  /// By which a run is ended early. Reset by the program, after the run.
  [[nodiscard]] early_end& end() noexcept { return calls_.end(); }

  /// Does what a run with so many rooms would do first. Throws std::bad_alloc.
  void prepare(std::size_t rooms) {
    if (rooms_ != rooms) {
      rooms_ = 0;  // if there is no memory
      calls_.use_rooms(rooms);
      flow_.emplace(calls_, rooms);
      rooms_ = rooms;
    }
  }

  /// For `pipeline::explain`.
  [[nodiscard]] std::string explain() {
    std::string all = std::to_string(calls_.stages()) +
                      " stages: " + decision_on(executor_, threads_, calls_.site()) + '\n';
    if (!times_.are_known()) {
      return all + explained_line{calls_.modes(), {}}.stages();
    }
    const explained_line stages{calls_.modes(), times_.all()};
    const std::uint64_t token = total_of_a_token();
    all += "a value takes " + explained_line::ns(token) + " ns";
    if (threads_ > 1) {
      all += ", by the model " + explained_line::ns(longest_of(token)) + " ns on " +
             std::to_string(threads_) + " threads";
    }
    return all + '\n' + (in_halves_ && threads_ > 1 ? stages.halves(division_) : stages.stages());
  }

  // Each of these runs until there are no more tokens, or the run is ended. Exceptions of stages pass
  // through. Throws std::bad_alloc before any is called.

  /// On the thread and assistant of a relic.
  template <class Relic>
  void run(Relic& runner, std::size_t rooms) {
    begin_run(&runner, runner.inline_mode() ? 1 : 2, true, rooms);
    run_by(relic_team<Relic>{runner});
  }
  /// On the workers of a pool.
  void run(pool& workers, std::size_t rooms) {
    begin_run(&workers, workers.size(), false, rooms);
    workers.run([this] {
      if (worker* const self = worker::current()) {
        run_by(pool_team{*self});
      } else {  // there is no place for this thread
        run_alone();
      }
    });
  }
  /// On the calling thread, without rooms.
  void run() {
    calls_.begin_run();
    run_alone();
  }

  // ---- as replay.hpp requires ----

  template <bool Timed>
  void run_here() {
    calls_.begin_batch(Timed);
    if constexpr (Timed) {
      run_stages_here();
    } else {
      calls_.run_here();
    }
  }

  template <bool Timed, class Relic>
  void share(relic_team<Relic>& team) {
    calls_.begin_batch(Timed);
    relic_access::long_wait(team.relic()).ticks = 0;  // it was the program's own
    relic_halves::run(team.relic(), division_, calls_, rooms_);
  }
  template <bool Timed>
  void share(pool_team& team) {
    calls_.begin_batch(Timed);
    flow_->run(team.self());
  }

  template <class Team>
  void run_first(Team& team) {
    if (team.is_ready() || team.is_asleep()) {
      team.wake();
      share<true>(team);
    } else {
      run_here<true>();
    }
  }

  [[nodiscard]] call_site& site() noexcept { return calls_.site(); }
  [[nodiscard]] bool is_known() const noexcept { return times_.are_known(); }
  [[nodiscard]] bool is_node_timing_due(std::uint64_t batches) noexcept {
    return times_.is_due(batches);
  }
  void end_node_timing(const lane_costs& /*costs*/) noexcept {
    if (calls_.made() == 0) {
      if (!times_.are_known()) {
        forget();  // this first run does not count
      }
      return;
    }
    for (std::size_t stage = 0; stage != calls_.stages(); ++stage) {
      times_.add(static_cast<std::uint32_t>(stage), calls_.take_time_of(stage) / calls_.made());
    }
    times_.end_run(0);
    division_ = {times_.all(), calls_.modes()};
  }
  /// 0 for short tokens: they were timed in a batch that was shared, where what a hand-over costs may
  /// count for more than the stages.
  [[nodiscard]] std::uint64_t modelled_total() const noexcept {
    const std::uint64_t token = total_of_a_token();
    return token < to_ticks(kLong) ? 0 : token_calls::kBatch * token;
  }
  /// On a relic the longer half. On a pool the longest serial stage, or an equal share for each worker.
  [[nodiscard]] std::uint64_t longest_of(std::uint64_t total) const noexcept {
    const std::uint64_t token = std::max<std::uint64_t>(total_of_a_token(), 1);
    const std::uint64_t longest =
        in_halves_ ? division_.longest() : std::max(longest_serial_stage(), token / threads_);
    const double share = static_cast<double>(longest) / static_cast<double>(token);
    return std::min(total, static_cast<std::uint64_t>(share * static_cast<double>(total)));
  }
  /// The last batch may have ended before it was full.
  [[nodiscard]] std::uint64_t whole_of(std::uint64_t took) const noexcept {
    return calls_.made() == 0 ? 0 : took * token_calls::kBatch / calls_.made();
  }

 private:
  // Ten times what a token cost beside its stages (0.2 to 0.5 us, 2 CPUs of an EPYC 9005, KVM).
  static constexpr std::chrono::microseconds kLong{5};

  // More than any machine has threads for; the limit keeps sizes from overflowing.
  static constexpr std::size_t kMostRooms = 1 << 20;

  static std::size_t rooms_for(std::size_t asked, std::size_t threads, std::size_t most) {
    constexpr std::size_t kLeast = 16;
    constexpr std::size_t kEach = 4;
    if (asked > kMostRooms) {
      detail::raise(std::length_error{"pipeline: at most 1048576 tokens"});
    }
    return std::min(asked != 0 ? asked : std::max(kLeast, kEach * threads), most);
  }

  // What was learnt.
  void forget() noexcept {
    calls_.site() = {};
    times_.forget();
  }

  // `in_halves`: on a relic.
  void begin_run(const void* executor, std::size_t threads, bool in_halves, std::size_t rooms) {
    prepare(rooms);
    if (executor != executor_ || threads != threads_ || in_halves != in_halves_) {
      calls_.site() = {};
      executor_ = executor;
      threads_ = threads;
      in_halves_ = in_halves;
    }
    calls_.begin_run();
  }

  template <class Team>
  void run_by(Team team) {
    while (!calls_.is_over()) {
      if (calls_.take_has_slowed()) [[unlikely]] {
        forget();
      }
      detail::replay(*this, team);
      rethrow();
    }
  }
  void run_alone() {
    while (!calls_.is_over()) {
      run_here<false>();
    }
  }

  void run_stages_here() noexcept {
    while (calls_.make(0)) {
      for (std::size_t stage = 1; stage != calls_.stages(); ++stage) {
        calls_.call(stage, 0);
      }
    }
  }

  void rethrow() {
    if (calls_.end().is_set()) [[unlikely]] {
      if (const std::exception_ptr thrown = calls_.end().take()) {
        std::rethrow_exception(thrown);
      }
      calls_.end().set();  // a stop request
    }
  }

  [[nodiscard]] std::uint64_t total_of_a_token() const noexcept {
    return std::accumulate(times_.all().begin(), times_.all().end(), std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t longest_serial_stage() const noexcept {
    std::uint64_t longest = times_.all()[0];
    for (std::size_t stage = 1; stage != calls_.stages(); ++stage) {
      if (calls_.mode(stage) != stage_mode::parallel) {
        longest = std::max(longest, times_.all()[stage]);
      }
    }
    return longest;
  }

  token_calls calls_;
  node_times times_;         // by stage
  stage_division division_;  // on a relic
  std::optional<token_flow> flow_;
  std::size_t rooms_ = 0;
  const void* executor_ = nullptr;
  std::size_t threads_ = 1;
  bool in_halves_ = false;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
