// The tokens of a pipeline on two workers of a pool (pipeline/token_flow.hpp), which give each other
// what they push: see handed_on/.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory>

#include "checker/protocol.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/pipeline/token_flow.hpp"
#include "finegrain/pool/worker.hpp"

namespace {

using fg::stage_mode;
using fg::detail::stage_functions;
using fg::detail::token_calls;
using fg::detail::token_flow;

constexpr model::explorer::limits kLoops{.turns = 5};

template <class Work>
void on_two_workers(Work work) {
  fg::worker first;
  fg::worker second;
  first.give_to(second);
  second.give_to(first);
  fg::atomic<bool> is_over{false};
  model::run_threads(
      [&] {
        fg::worker::current() = &first;
        work();
        is_over.store(true, fg::memory_order_relaxed);
      },
      [&] {
        fg::worker::current() = &second;
        second.help_until([&] { return is_over.load(fg::memory_order_relaxed); });
      });
}

// Two stages. A token is a number in plain memory, of which the second stage adds up a sum, in plain
// memory too if it is serial: what is not ordered is a race.
template <stage_mode Second>
class small_pipeline {
 public:
  explicit small_pipeline(std::size_t tokens) : tokens_{tokens} {}
  small_pipeline(const small_pipeline&) = delete;
  small_pipeline& operator=(const small_pipeline&) = delete;

  void run(std::size_t rooms) {
    const auto flow = std::make_unique<token_flow>(calls, rooms);
    calls.use_rooms(rooms);
    calls.begin_run();
    calls.begin_batch(false);
    made_ = 0;
    flow->run(*fg::worker::current());
  }  // freed at once

  void require_all_ran() const {
    model::require(calls.is_over(), "the first stage was asked until its end");
    for (std::size_t token = 0; token != tokens_; ++token) {
      model::require(ran_[token] == 1, "each token passes once");
    }
    model::require(Second == stage_mode::parallel || sum_ == tokens_, "and is counted");
  }

  std::size_t throws = ~std::size_t{0};  ///< the first stage throws instead of making this token
  token_calls calls{kFunctions, this};

 private:
  static bool make(void* owner, std::size_t room) {
    auto& self = *static_cast<small_pipeline*>(owner);
    if (self.made_ == self.throws) {
      throw 1;
    }
    if (self.made_ == self.tokens_) {
      return false;
    }
    self.rooms_[room] = self.made_++;
    return true;
  }
  static void pass(void* owner, std::size_t /*stage*/, std::size_t room, bool drop) {
    auto& self = *static_cast<small_pipeline*>(owner);
    const std::size_t token = self.rooms_[room];
    if (drop) {
      return;
    }
    ++self.ran_[token];
    if constexpr (Second == stage_mode::serial_in_order) {
      model::require(self.sum_ == token, "in order");
    }
    if constexpr (Second != stage_mode::parallel) {
      ++self.sum_;
    }
  }
  static constexpr std::array<stage_mode, 2> kModes{stage_mode::serial_in_order, Second};
  static constexpr stage_functions kFunctions{&make, &pass, nullptr, kModes};

  std::size_t tokens_;
  std::size_t made_ = 0;
  std::size_t sum_ = 0;
  std::array<std::size_t, 3> rooms_{};
  std::array<int, 3> ran_{};
};

template <stage_mode Second, std::size_t Tokens, std::size_t Rooms>
void one_run() {
  on_two_workers([] {
    const auto pipeline = std::make_unique<small_pipeline<Second>>(Tokens);
    pipeline->run(Rooms);
    pipeline->require_all_ran();
  });
}

void source_throws() {
  on_two_workers([] {
    small_pipeline<stage_mode::serial_in_order> pipeline{2};
    pipeline.throws = 1;
    pipeline.run(2);
    model::require(pipeline.calls.end().take() != nullptr, "the exception is kept");
  });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "token flow: 2 workers",
      {{"3 tokens in 3 rooms, in order", "each once, in order; the run is left alone",
        one_run<stage_mode::serial_in_order, 3, 3>, kLoops},
       {"3 tokens in 3 rooms, one at a time", "each once",
        one_run<stage_mode::serial_out_of_order, 3, 3>, kLoops},
       {"3 tokens in 3 rooms, in parallel", "each once", one_run<stage_mode::parallel, 3, 3>,
        kLoops},
       {"3 tokens in 2 rooms, in order", "a room is used again when its token has left",
        one_run<stage_mode::serial_in_order, 3, 2>, kLoops},
       {"3 tokens in 2 rooms, one at a time", "the same",
        one_run<stage_mode::serial_out_of_order, 3, 2>, kLoops},
       {"3 tokens in 2 rooms, in parallel", "the same", one_run<stage_mode::parallel, 3, 2>,
        kLoops},
       {"2 tokens in a room", "one after the other", one_run<stage_mode::serial_in_order, 2, 1>,
        kLoops},
       {"no token", "it ends", one_run<stage_mode::parallel, 0, 2>, kLoops},
       {"a first stage that throws", "the run ends", source_throws, kLoops}},
      argc, argv);
}
