// A call on every worker of a pool (algorithm/pool/broadcast.hpp, pool/assigned_tasks.hpp), and
// loops (algorithm/pool/parallel_for.hpp, algorithm/pool/split.hpp).
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "checker/protocol.hpp"
#include "finegrain/algorithm/pool/broadcast.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/pool/pool.hpp"
#include "in_a_pool.hpp"

namespace {

// The calls' frame is gone when the last one has reported its end.
void broadcast_once() {
  in_a_pool([] {
    const int before = 1;
    std::array<int, 2> seen{};
    fg::broadcast([&](std::size_t id) { seen[id] += before; });
    model::require(seen == std::array{1, 1}, "each worker calls it once");
  });
}
void broadcast() {
  fg::sleeps_left = {};
  broadcast_once();
}
void broadcast_asleep() {
  fg::sleeps_left = {0, 0, 1};
  broadcast_once();
}
void broadcast_caller_asleep() {
  fg::sleeps_left = {0, 1, 0};
  broadcast_once();
}

void broadcast_throws() {
  fg::sleeps_left = {};
  in_a_pool([] {
    std::array<int, 2> seen{};
    int caught = 0;
    try {
      fg::broadcast([&](std::size_t id) {
        seen[id] = 1;
        throw static_cast<int>(id) + 1;
      });
    } catch (int thrown) {
      caught = thrown;
    }
    model::require(caught != 0 && seen == std::array{1, 1}, "one exception arrives, all have run");
  });
}

void loop(fg::partition how) {
  fg::sleeps_left = {};
  in_a_pool([how] {
    std::array<int, 2> seen{};
    // Always: what a call site has learned would pass from one execution to the next.
    fg::parallel_for(0, 2, [&](int i) { ++seen[static_cast<std::size_t>(i)]; },
                     {.how = how, .grain = 1, .mode = fg::offload::always});
    model::require(seen == std::array{1, 1}, "each iteration runs once, and is seen");
  });
}
void lazy() { loop(fg::partition::lazy); }
void dynamic() { loop(fg::partition::dynamic); }
void fixed() { loop(fg::partition::fixed); }

void dynamic_throws() {
  fg::sleeps_left = {};
  in_a_pool([] {
    bool caught = false;
    try {
      fg::parallel_for(0, 2, [&](int /*i*/) { throw 1; },
                       {.how = fg::partition::dynamic, .grain = 1});
    } catch (int) {
      caught = true;
    }
    model::require(caught, "an exception arrives");
  });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "broadcast and loops (pool): 2 workers, and their end",
      {{"broadcast", "once on each worker, seen", broadcast},
       {"broadcast to one that sleeps", "also: it wakes up", broadcast_asleep},
       {"broadcast by one that sleeps", "also: it wakes up", broadcast_caller_asleep},
       {"broadcast that throws", "one exception arrives", broadcast_throws},
       {"a loop, lazy", "each iteration once, seen", lazy},
       {"a loop, dynamic", "each iteration once, seen", dynamic},
       {"a loop, fixed", "each iteration once, seen", fixed},
       {"a loop that throws", "an exception arrives", dynamic_throws}},
      argc, argv);
}
