// Stages that values pass through one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/graph/early_end.hpp"
#include "finegrain/pipeline/line.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/pipeline/token_room.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI {

struct pipeline_options {
  /// How many tokens there are at most at once, between the first stage and the last. 0: 4 for each
  /// thread, at least 16. On a relic at most 32, on a pool 2^20.
  std::size_t tokens = 0;
  /// A request ends the run: the first stage is not called again, and tokens are dropped before their
  /// next stage.
  stop_token stop = {};
};

/// Stages that values, the tokens, pass through one after the other, several at once:
///
///     fg::pipeline parse{
///         fg::serial_in_order([&]() -> std::optional<std::string> { return next_line(input); }),
///         fg::parallel([](const std::string& line) { return parsed(line); }),
///         fg::serial_in_order([&](const record& made) { write(output, made); })};
///     parse.run(pool);  // or a relic
///
/// The first stage makes the tokens: it returns a std::optional, which is empty at the end. Each other
/// one is called with what the one before returned, as an rvalue; the last one's result is dropped.
/// Stages without values are possible, for data of the program's own: the first one then returns a bool,
/// false at the end, and a stage after one that returns nothing takes nothing.
///
/// What a stage wrote is visible to the same token's next stages, to later calls of a serial stage, and
/// after the run to its caller.
///
/// **It learns.** The pipeline measures its stages, and stays on the calling thread, one token after the
/// other, unless sharing it was measured to be faster (controller/call_site.hpp). On a relic the first
/// stages are then the main thread's and the others the assistant's, and a parallel one between them is
/// called by both, for a share of the tokens each, so that the longer half is shortest. On a pool each token is a task, and a thread stays in a stage while tokens may
/// come there (pipeline/token_flow.hpp). A stage never waits for another one to end while its thread could
/// run a token.
///
/// Runs allocate nothing but the first one, and one with another number of tokens than the one before.
///
/// One thread at a time may use a pipeline, and its stages must not: a run within another one is a
/// std::logic_error.
template <class... Stages>
class pipeline {
  static_assert((detail::is_stage<Stages> && ...),
                "finegrain: the stages of a pipeline are made by fg::serial_in_order, "
                "fg::serial_out_of_order and fg::parallel");
  static_assert(sizeof...(Stages) >= 2, "finegrain: a pipeline has two stages or more");
  static constexpr std::size_t kStages = sizeof...(Stages);
  static constexpr std::array<stage_mode, kStages> kModes{Stages::kMode...};
  static_assert(kModes[0] != stage_mode::parallel,
                "finegrain: the first stage of a pipeline is serial");

 public:
  /// Moves the functions into the pipeline.
  explicit pipeline(Stages... stages) : functions_{std::move(stages.call)...} {}
  pipeline(const pipeline&) = delete;  // tokens know where it is
  pipeline& operator=(const pipeline&) = delete;

  /// Runs the pipeline on the thread and assistant of a relic, or on the workers of a pool, until the
  /// first stage has made its last token and all have left, or `options.stop` is requested; false if
  /// that has happened by then. If a stage throws, the run ends in the same way, and the first
  /// exception is rethrown. Afterwards it can be run again. Throws std::bad_alloc and
  /// std::length_error (too many tokens) before any stage is called.
  ///
  /// On a relic: on any thread but its main one, and in its tasks, all of it runs on the calling
  /// thread. Stages must not call the relic's `submit`, `fork` and `wait`. They may call `fork_join`
  /// and loops on it, but must not hold a lock meanwhile that stages take.
  ///
  /// On a pool: on a thread that does not work in it, within `pool.run`. Stages may use everything that
  /// a task may. As all tokens are of one region, a stage that waits for tasks of its own may run
  /// another token meanwhile, unless it does so in `fg::isolate`.
  template <relic_like Relic>
  bool run(Relic& runner, const pipeline_options& options = {}) {
    const only_run now{runs_};
    const std::size_t tokens = prepare(detail::line::rooms_for(options.tokens, runner));
    return run_until(options.stop, [&] { line_.run(runner, tokens); });
  }
  bool run(pool& workers, const pipeline_options& options = {}) {
    const only_run now{runs_};
    const std::size_t tokens = prepare(detail::line::rooms_for(options.tokens, workers));
    return run_until(options.stop, [&] { line_.run(workers, tokens); });
  }
  /// The same on the calling thread alone, one token after the other.
  bool run(const pipeline_options& options = {}) {
    const only_run now{runs_};
    return run_until(options.stop, [this] { line_.run(); });
  }

  /// What is known about the pipeline: whether the last executor shares it, the time of each stage, and
  /// on a relic the thread that calls it. For people; the form may change.
  [[nodiscard]] std::string explain() { return line_.explain(); }

 private:
  template <class First, class... Later>
  struct values_of;
  template <class First, class... Later>
  struct values_of<std::tuple<First, Later...>>
      : detail::values_after<detail::value_list<>, detail::source_value_t<typename First::function>,
                             typename Later::function...> {};
  using values = typename values_of<std::tuple<Stages...>>::type;
  using room = detail::token_room<values>;

  // The first stage.
  static bool make_in(pipeline& self, room& place) {
    auto made = std::invoke(std::get<0>(self.functions_));
    if (!made) {
      return false;
    }
    if constexpr (std::is_same_v<decltype(made), bool>) {
      place.template emplace<0>([] { return detail::no_value{}; });
    } else {
      place.template emplace<0>([&made]() -> decltype(auto) { return *std::move(made); });
    }
    place.set_has_value(true);
    return true;
  }

  // A later one.
  template <std::size_t Stage>
  static void call_in(pipeline& self, room& place, bool drop) {
    if (!place.has_value()) {
      return;
    }
    place.set_has_value(false);
    struct destroy_at_exit {
      room& where;
      ~destroy_at_exit() { where.template destroy<Stage - 1>(); }
    } const guard{place};
    if (drop) {
      return;
    }
    const auto result = [&]() -> decltype(auto) {
      return detail::call_stage(std::get<Stage>(self.functions_),
                                std::move(place.template get<Stage - 1>()));
    };
    if constexpr (Stage + 1 == kStages) {
      static_cast<void>(result());
    } else {
      if constexpr (std::is_void_v<decltype(result())>) {
        result();
        place.template emplace<Stage>([] { return detail::no_value{}; });
      } else {
        place.template emplace<Stage>(result);
      }
      place.set_has_value(true);
    }
  }

  static bool make(void* owner, std::size_t at) {
    auto& self = *static_cast<pipeline*>(owner);
    return make_in(self, self.rooms_[at]);
  }

  template <std::size_t... Earlier>
  static constexpr auto calls_after(std::index_sequence<Earlier...> /*earlier*/) {
    return std::array{&call_in<Earlier + 1>...};
  }
  static void call(void* owner, std::size_t stage, std::size_t at, bool drop) {
    static constexpr auto kCalls = calls_after(std::make_index_sequence<kStages - 1>{});
    auto& self = *static_cast<pipeline*>(owner);
    kCalls[stage - 1](self, self.rooms_[at], drop);
  }

  static bool run_whole(void* owner, const detail::early_end& end) {
    auto& self = *static_cast<pipeline*>(owner);
    room place;
    if (!make_in(self, place)) {
      return false;
    }
    [&]<std::size_t... Earlier>(std::index_sequence<Earlier...>) {
      (call_in<Earlier + 1>(self, place, end.is_set()), ...);
    }(std::make_index_sequence<kStages - 1>{});
    return true;
  }

  static constexpr detail::stage_functions kFunctions{&make, &call, &run_whole, kModes};

  struct setter {
    detail::early_end& end;
    void operator()() const noexcept { end.set(); }
  };
  struct reset_at_exit {
    detail::early_end& end;
    ~reset_at_exit() { static_cast<void>(end.take()); }
  };

  std::size_t prepare(std::size_t tokens) {
    if (tokens > room_count_) {
      rooms_ = std::make_unique<room[]>(tokens);
      room_count_ = tokens;
    }
    return tokens;
  }

  // While it lives the pipeline runs. Both relaxed: it orders nothing, and finds mistakes.
  struct only_run {
    explicit only_run(atomic<bool>& which) : runs{which} {
      if (runs.exchange(true, memory_order_relaxed)) [[unlikely]] {
        detail::raise(
            std::logic_error{"pipeline: it is being run: neither its stages nor other threads may "
                             "run it meanwhile"});
      }
    }
    ~only_run() { runs.store(false, memory_order_relaxed); }  // relaxed: see above
    only_run(const only_run&) = delete;
    only_run& operator=(const only_run&) = delete;

    atomic<bool>& runs;
  };

  template <class Run>
  bool run_until(const stop_token& stop, Run run) {
    const reset_at_exit reset{line_.end()};
    const stop_callback<setter> asked{stop, setter{line_.end()}};
    run();
    return !stop.stop_requested();
  }

  std::tuple<typename Stages::function...> functions_;
  std::unique_ptr<room[]> rooms_;
  std::size_t room_count_ = 0;
  detail::line line_{kFunctions, this};
  atomic<bool> runs_{false};
};

}  // namespace fg::inline FINEGRAIN_ABI
