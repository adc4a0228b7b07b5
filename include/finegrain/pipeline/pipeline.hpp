// Stages that values pass through one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

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
  /// thread, at least 16. On a relic at most 32.
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
/// stages are then the main thread's and the others the assistant's, so that the longer half is
/// shortest. On a pool each token is a task, and a thread takes it from stage to stage as far as it may
/// go on (pipeline/token_flow.hpp). A stage never waits for another one to end while its thread could
/// run a token.
///
/// Runs allocate nothing but the first one, and the first one with another number of tokens.
///
/// One thread at a time may use a pipeline, and its stages must not.
template <class... Stages>
class pipeline {
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
  /// first stage has made its last token and all have left, or `options.stop` is requested; true if
  /// not. If a stage throws, the run ends in the same way, and the first exception is rethrown.
  /// Afterwards it can be run again. Throws std::bad_alloc, before any stage is called.
  ///
  /// On a relic: on any thread but its main one, and in its tasks, all of it runs on the calling
  /// thread. Stages must not call the relic's `submit`, `fork` and `wait`. They may call `fork_join`
  /// and loops on it. The caller's earlier tasks run first.
  ///
  /// On a pool: on a thread that does not work in it, within `pool.run`. Stages may use everything that
  /// a task may.
  template <relic_like Relic>
  bool run(Relic& relic, const pipeline_options& options = {}) {
    const std::size_t tokens = prepare(relic.inline_mode() ? 1 : 2, options.tokens);
    return run_until(options.stop, [&] { line_.run(relic, tokens); });
  }
  bool run(pool& workers, const pipeline_options& options = {}) {
    const std::size_t tokens = prepare(workers.size(), options.tokens);
    return run_until(options.stop, [&] { line_.run(workers, tokens); });
  }
  /// The same on the calling thread alone, one token after the other.
  bool run(const pipeline_options& options = {}) {
    return run_until(options.stop, [this] { line_.run(); });
  }

 private:
  template <class First, class... Later>
  struct values_of;
  template <class First, class... Later>
  struct values_of<std::tuple<First, Later...>>
      : detail::values_after<detail::value_list<>, detail::source_value_t<typename First::function>,
                             typename Later::function...> {};
  using values = typename values_of<std::tuple<Stages...>>::type;
  using room = detail::token_room<values>;

  static bool make(void* owner, std::size_t at) {
    auto& self = *static_cast<pipeline*>(owner);
    room& place = self.rooms_[at];
    auto made = std::get<0>(self.functions_)();
    if (!made) {
      return false;
    }
    place.template emplace<0>([&made] { return value_made(made); });
    place.set_has_value(true);
    return true;
  }

  template <std::size_t Stage>
  static void call(pipeline& self, std::size_t at, bool drop) {
    room& place = self.rooms_[at];
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
      return self.template value_after<Stage>(std::move(place.template get<Stage - 1>()));
    };
    if constexpr (Stage + 1 == kStages) {
      static_cast<void>(result());
    } else {
      place.template emplace<Stage>(result);
      place.set_has_value(true);
    }
  }

  static bool run_whole(void* owner, const detail::early_end& end) {
    auto& self = *static_cast<pipeline*>(owner);
    auto made = std::get<0>(self.functions_)();
    if (!made) {
      return false;
    }
    self.template run_from<1>(value_made(made), end);
    return true;
  }

  template <std::size_t Stage, class Value>
  void run_from(Value&& value, const detail::early_end& end) {
    if (end.is_set()) [[unlikely]] {
      return;
    }
    if constexpr (Stage + 1 == kStages) {
      value_after<Stage>(std::forward<Value>(value));
    } else {
      run_from<Stage + 1>(value_after<Stage>(std::forward<Value>(value)), end);
    }
  }

  // Of what the first stage's function has returned.
  template <class Made>
  static decltype(auto) value_made(Made& made) {
    if constexpr (std::is_same_v<Made, bool>) {
      return detail::no_value{};
    } else {
      return *std::move(made);
    }
  }

  // Calls the function of a stage.
  template <std::size_t Stage, class Value>
  auto value_after(Value&& value) {
    auto& function = std::get<Stage>(functions_);
    if constexpr (std::is_void_v<detail::call_stage_t<decltype(function), Value>>) {
      detail::call_stage(function, std::forward<Value>(value));
      return detail::no_value{};
    } else {
      return detail::call_stage(function, std::forward<Value>(value));
    }
  }

  using stage_call = void (*)(pipeline& self, std::size_t at, bool drop);
  template <std::size_t... Later>
  static constexpr auto calls_of(std::index_sequence<Later...> /*later*/) {
    return std::array<stage_call, kStages>{nullptr, &call<Later + 1>...};
  }
  static void call_stage(void* owner, std::size_t stage, std::size_t at, bool drop) {
    static constexpr auto kCalls = calls_of(std::make_index_sequence<kStages - 1>{});
    kCalls[stage](*static_cast<pipeline*>(owner), at, drop);
  }
  static constexpr detail::stage_functions kFunctions{&make, &call_stage, &run_whole, kModes};

  struct setter {
    detail::early_end& end;
    void operator()() const noexcept { end.set(); }
  };
  struct reset_at_exit {
    detail::early_end& end;
    ~reset_at_exit() { static_cast<void>(end.take()); }
  };

  // Returns how many tokens there are at once.
  std::size_t prepare(std::size_t threads, std::size_t asked) {
    const std::size_t tokens = detail::line::rooms_for(asked, threads);
    if (tokens > room_count_) {
      rooms_ = std::make_unique<room[]>(tokens);
      room_count_ = tokens;
    }
    return tokens;
  }

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
};

}  // namespace fg::inline FINEGRAIN_ABI
