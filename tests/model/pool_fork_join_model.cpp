// A fork on one worker whose branch another one may take (pool/forked_branch.hpp, pool/worker.hpp),
// and the end of the threads that serve.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "checker/protocol.hpp"
#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/pool.hpp"

namespace {

using fg::worker;

// Runs `work` in a pool of two workers, and stops it.
template <class Work>
void in_a_pool(Work work) {
  fg::pool pool{2};
  model::run_threads(
      [&] {
        pool.run([&] { work(*worker::current()); });
        pool.stop();
      },
      [&] { pool.live(1); });
}

// The branch is taken back, or stolen and waited for: then the runner does not touch the frame
// after its last store.
void fork_once() {
  in_a_pool([](worker& self) {
    int seen = 0;
    auto f = [] { return 1; };
    auto g = [&seen] { return ++seen + 1; };
    const auto [first, second] = fg::detail::fork_join_on<fg::detail::if_short::push>(self, f, g);
    model::require(first == 1 && second == 2 && seen == 1, "both run once, and are seen");
  });
}

void awake() {
  fg::sleeps_left = {};
  fork_once();
}
void thief_asleep() {
  fg::sleeps_left = {0, 0, 1};
  fork_once();
}
void owner_asleep() {
  fg::sleeps_left = {0, 1, 0};
  fork_once();
}

// Wherever it ran.
void branch_throws() {
  fg::sleeps_left = {};
  in_a_pool([](worker& self) {
    auto f = [] {};
    auto g = [] { throw 7; };
    int caught = 0;
    try {
      fg::detail::fork_join_on<fg::detail::if_short::push>(self, f, g);
    } catch (int thrown) {
      caught = thrown;
    }
    model::require(caught == 7, "the branch's exception is passed on");
  });
}

// The other branch still runs, before the frame is gone.
void both_throw() {
  fg::sleeps_left = {};
  in_a_pool([](worker& self) {
    int ran = 0;
    auto f = [] { throw 1; };
    auto g = [&ran] {
      ++ran;
      throw 2;
    };
    int caught = 0;
    try {
      fg::detail::fork_join_on<fg::detail::if_short::push>(self, f, g);
    } catch (int thrown) {
      caught = thrown;
    }
    model::require(caught == 1 && ran == 1, "the first branch's exception wins");
  });
}

// A thief takes a branch that itself forks.
void nested() {
  fg::sleeps_left = {};
  in_a_pool([](worker& self) {
    auto one = [] { return 1; };
    auto two = [&one] {
      const auto [first, second] =
          fg::detail::fork_join_on<fg::detail::if_short::push>(*worker::current(), one, one);
      return first + second;
    };
    const auto [first, second] =
        fg::detail::fork_join_on<fg::detail::if_short::push>(self, one, two);
    model::require(first == 1 && second == 2, "all run, and are seen");
  });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol("fork_join (pool): 2 workers, and their end",
                               {{"awake", "both branches run once, their effects are seen", awake},
                                {"the thief sleeps", "also: it wakes up", thief_asleep},
                                {"the owner sleeps", "also: it wakes up", owner_asleep},
                                {"the branch throws", "its exception arrives", branch_throws},
                                {"both throw", "one exception arrives, both run", both_throw},
                                {"a fork in a branch", "all run, their effects are seen", nested}},
                               argc, argv);
}
