// The tokens of a pipeline on the two threads of a relic, which have a parallel stage together
// (pipeline/relic_halves.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>

#include "checker/protocol.hpp"
#include "finegrain/pipeline/relic_halves.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/stage_division.hpp"
#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/relic/assistant_placement.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/wait/wait.hpp"

namespace {

using fg::stage_mode;
using fg::detail::token_calls;

// One that never sleeps: relic_model has the others.
using spinning_relic = fg::basic_relic<fg::spin_pause>;

// A serial stage, a parallel one, of which the main thread calls every second token, and a serial one.
// All that they touch is plain memory: what is not ordered is a race.
class small_pipeline {
 public:
  explicit small_pipeline(std::size_t tokens) : tokens_{tokens} {}
  small_pipeline(const small_pipeline&) = delete;
  small_pipeline& operator=(const small_pipeline&) = delete;

  void run(std::size_t rooms) {
    constexpr std::array<std::uint64_t, 3> kTimes{10, 20, 10};
    fg::detail::has_cpu_for_assistant = true;
    fg::clock_reads_left = {};
    spinning_relic relic;
    calls.use_rooms(rooms);
    calls.begin_run();
    calls.begin_batch(false);
    fg::detail::relic_halves::run(relic, fg::detail::stage_division{kTimes, kModes}, calls, rooms);
  }

  void require_all_ran() const {
    model::require(calls.is_over(), "the first stage was asked until its end");
    model::require(finished_ == tokens_, "each token passes once");
  }
  [[nodiscard]] std::size_t finished() const { return finished_; }

  std::size_t throws = ~std::size_t{0};  ///< the parallel stage throws for this token
  token_calls calls{kFunctions, this};

 private:
  struct token {
    std::size_t number = 0;
    std::size_t stage = 0;  // how many it has passed; 0: the room is empty
  };

  static bool make(void* owner, std::size_t room) {
    auto& self = *static_cast<small_pipeline*>(owner);
    if (self.made_ == self.tokens_) {
      return false;
    }
    model::require(self.rooms_[room].stage == 0, "the room is empty");
    self.rooms_[room] = {.number = self.made_++, .stage = 1};
    return true;
  }
  static void pass(void* owner, std::size_t stage, std::size_t room, bool drop) {
    auto& self = *static_cast<small_pipeline*>(owner);
    token& passing = self.rooms_[room];
    if (passing.stage == 0) {
      return;
    }
    model::require(passing.stage == stage, "each stage once");
    passing.stage = 0;
    if (drop) {
      return;
    }
    if (stage == 1 && passing.number == self.throws) {
      throw 1;
    }
    if (stage == 1) {
      passing.stage = 2;
    } else {
      model::require(passing.number == self.finished_++, "in order");
    }
  }
  static constexpr std::array kModes{stage_mode::serial_in_order, stage_mode::parallel,
                                     stage_mode::serial_in_order};
  static constexpr fg::detail::stage_functions kFunctions{&make, &pass, nullptr, kModes};

  std::size_t tokens_;
  std::size_t made_ = 0;
  std::size_t finished_ = 0;
  std::array<token, 3> rooms_{};
};

template <std::size_t Tokens, std::size_t Rooms>
void one_run() {
  small_pipeline pipeline{Tokens};
  pipeline.run(Rooms);
  pipeline.require_all_ran();
}

// On the assistant: the first token; on the main thread: the second one.
template <std::size_t Token>
void one_throws() {
  small_pipeline pipeline{3};
  pipeline.throws = Token;
  pipeline.run(3);
  model::require(pipeline.calls.end().take() != nullptr, "the exception is kept");
  model::require(pipeline.finished() <= Token, "no token comes after it");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "relic halves: the main thread and the assistant, which both call the parallel stage of "
      "three",
      {{"3 tokens in 3 rooms", "each once, in order", one_run<3, 3>},
       {"3 tokens in 2 rooms", "a room is used again when its token has left", one_run<3, 2>},
       {"2 tokens in a room", "one after the other", one_run<2, 1>},
       {"no token", "it ends", one_run<0, 2>},
       {"the assistant's token throws", "what comes after it is dropped", one_throws<0>},
       {"the main thread's token throws", "what comes after it is dropped", one_throws<1>}},
      argc, argv);
}
