// Tokens that pass a stage one at a time (pipeline/serial_gate.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/pipeline/serial_gate.hpp"

namespace {

using fg::detail::gate_link;
using fg::detail::serial_gate;

struct token : gate_link {
  int brings = 0;
};

// What is inside is plain memory: two at once are a race, and so is a token that is not seen whole.
struct stage {
  serial_gate gate;
  int inside = 0;
  int sum = 0;

  void pass(token& arrived, int brings) {
    arrived.brings = brings;
    if (!gate.enter(arrived)) {
      return;
    }
    for (gate_link* now = &arrived; now != nullptr; now = gate.leave()) {
      ++inside;
      sum += static_cast<token*>(now)->brings;
    }
  }
};

template <std::size_t Each>
void two_threads() {
  stage shared;
  std::array<token, 2 * Each> tokens;
  const auto pass = [&](std::size_t first) {
    for (std::size_t at = first; at != first + Each; ++at) {
      shared.pass(tokens[at], 1 << at);
    }
  };
  model::run_threads([&] { pass(0); }, [&] { pass(Each); });
  model::require(shared.sum == (1 << (2 * Each)) - 1, "each token passes once");
  token last;
  model::require(shared.gate.enter(last), "the gate is open in the end");
}

void three_threads() {
  stage shared;
  std::array<token, 3> tokens;
  model::run_threads([&] { shared.pass(tokens[0], 1); }, [&] { shared.pass(tokens[1], 2); },
                     [&] { shared.pass(tokens[2], 4); });
  model::require(shared.sum == 7, "each token passes once");
}

// Those that wait come out in the order in which they came.
void in_order() {
  serial_gate gate;
  std::array<token, 4> tokens;
  model::require(gate.enter(tokens[0]), "it is open at first");
  for (std::size_t at = 1; at != 4; ++at) {
    model::require(!gate.enter(tokens[at]), "it is closed");
  }
  for (std::size_t at = 1; at != 4; ++at) {
    model::require(gate.leave() == &tokens[at], "first come, first served");
  }
  model::require(gate.leave() == nullptr, "and then it is open");
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "serial gate",
      {{"2 threads, a token each", "one at a time, each once", two_threads<1>, {}},
       {"2 threads, 2 tokens each",
        "the same, also for what comes while others wait",
        two_threads<2>,
        {}},
       {"3 threads, a token each", "the same", three_threads, {}},
       {"4 tokens that wait", "in the order in which they came", in_order, {}}},
      argc, argv);
}
