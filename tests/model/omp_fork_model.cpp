// Fork, barrier and join of our own threads (omp/runtime/hot_team.hpp): the words that they pass to
// and fro, the barriers of regions that may be cancelled, and threads that sleep on them.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "checker/protocol.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/atomic.hpp"
#include "runtime/baton.hpp"
#include "runtime/cancellable_barrier.hpp"
#include "runtime/signal_count.hpp"

namespace {

using fg::omp::runtime::baton;
using fg::omp::runtime::cancellable_barrier;
using fg::omp::runtime::side;
using fg::omp::runtime::signal_count;

// As the waiting loops of hot_team.cpp: looks, or goes to sleep and looks again.
template <bool Sleeps, class Word, class Mark>
void await(Word& word, Mark mark) {
  if constexpr (Sleeps) {
    while (!word.has_reached(mark)) {
      word.sleep_before(mark, [] { return true; });
    }
  } else {
    model::await([&] { return word.has_reached(mark); });
  }
}

// A worker's line: what it is to run, and what it has made of it, in plain memory.
struct line {
  baton turn;
  int given = 0;
  int made = 0;
};

// Regions one after another, each with a barrier of many in its middle.
template <bool LeaderSleeps, bool WorkerSleeps, int Regions>
void regions() {
  line one;
  model::run_threads(
      [&] {
        for (int i = 1; i <= Regions; ++i) {
          one.given = i;
          one.turn.pass_to(side::worker);
          await<LeaderSleeps>(one.turn, side::leader);
          model::require(one.made == i, "what was done before the barrier is seen after it");
          one.given = -i;
          one.turn.pass_to(side::worker);
          await<LeaderSleeps>(one.turn, side::leader);
          model::require(one.made == -i, "what the region did is seen after it");
        }
      },
      [&] {
        for (int i = 0; i < 2 * Regions; ++i) {
          await<WorkerSleeps>(one.turn, side::worker);
          one.made = one.given;
          one.turn.pass_to(side::leader);
        }
      });
}

// Barriers of two: each writes before one and reads after it what the other has written.
template <bool FirstSleeps, bool SecondSleeps, std::uint32_t Barriers>
void barriers_of_two() {
  signal_count arrived[2];
  std::uint32_t written[2][Barriers]{};
  const auto part = [&]<bool Sleeps>(std::size_t own) {
    for (std::uint32_t i = 0; i < Barriers; ++i) {
      written[own][i] = i + 1;
      await<Sleeps>(arrived[1 - own], arrived[own].raise());  // as hot_team::meet_other
      model::require(written[1 - own][i] == i + 1, "what was written before is seen after it");
    }
  };
  model::run_threads([&] { part.template operator()<FirstSleeps>(0); },
                     [&] { part.template operator()<SecondSleeps>(1); });
}

// As hot_team::meet_unless_cancelled.
template <bool Sleeps>
void meet(cancellable_barrier& barrier, std::uint32_t size) {
  const std::uint32_t number = barrier.number();
  if (barrier.is_last(size)) {
    barrier.release();
  } else {
    await<Sleeps>(barrier, number);
  }
}

// Barriers of threads that write before each and read after it what the others have written.
template <bool Sleeps, std::size_t Threads, std::uint32_t Barriers>
void cancellable_barriers() {
  cancellable_barrier barrier;
  std::uint32_t written[Threads][Barriers]{};
  const auto part = [&](std::size_t own) {
    for (std::uint32_t i = 0; i < Barriers; ++i) {
      written[own][i] = i + 1;
      meet<Sleeps>(barrier, Threads);
      for (std::size_t each = 0; each < Threads; ++each) {
        model::require(written[each][i] == i + 1, "what was written before is seen after it");
      }
    }
  };
  if constexpr (Threads == 2) {
    model::run_threads([&] { part(0); }, [&] { part(1); });
  } else {
    model::run_threads([&] { part(0); }, [&] { part(1); }, [&] { part(2); });
  }
}

// A thread cancels the region and arrives at no barrier any more: those that wait leave it.
template <bool Sleeps>
void cancelled_while_others_wait() {
  cancellable_barrier barrier;
  const auto wait = [&] { meet<Sleeps>(barrier, 3); };
  model::run_threads([&] { barrier.cancel(); }, wait, wait);
}

// A region gets queues while a thread goes to sleep in a barrier: it must not sleep on the word any
// longer, since from now on it has to be woken for tasks.
template <class Word, class Mark>
void queues_come(Mark mark) {
  Word word;
  fg::atomic<bool> has_queues{false};
  model::run_threads(
      [&] {
        has_queues.store(true, fg::memory_order_seq_cst);  // as thread::join_team_long
        word.rouse();
      },
      [&] {
        const auto stays = [&] { return !has_queues.load(fg::memory_order_seq_cst); };
        while (stays()) {
          word.sleep_before(mark, stays);
        }
      });
}

// The region has queues, on whose gates a thread sleeps until another one has changed its word.
template <class Word, class Mark, class Change>
void told_on_the_gates(Mark mark, Change change) {
  Word word;
  fg::atomic<bool> has_queues{false};
  fg::detail::idle_workers gates{1};
  model::run_threads(
      [&] { has_queues.store(true, fg::memory_order_seq_cst); },
      [&] {
        change(word);
        if (has_queues.load(fg::memory_order_seq_cst) && gates.any_after_publishing()) {
          gates.wake_waiting();
        }
      },
      [&] {
        if (!has_queues.load(fg::memory_order_seq_cst)) {
          return;  // it waits on the word: see above
        }
        while (!word.has_reached(mark)) {
          gates.sleep(0, true, [] {}, [&] { return word.has_reached(mark); });
        }
      });
}

// The same with two that sleep on one word: the second announces its sleep where the first has.
void queues_come_for_two() {
  cancellable_barrier barrier;
  fg::atomic<bool> has_queues{false};
  const auto wait = [&] {
    const auto stays = [&] { return !has_queues.load(fg::memory_order_seq_cst); };
    while (stays()) {
      barrier.sleep_before(0, stays);
    }
  };
  model::run_threads(
      [&] {
        has_queues.store(true, fg::memory_order_seq_cst);  // as thread::join_team_long
        barrier.rouse();
      },
      wait, wait);
}

void barrier_is_told() {
  told_on_the_gates<cancellable_barrier>(0U, [](cancellable_barrier& barrier) {
    if (barrier.is_last(1)) {
      barrier.release();
    }
  });
}
void cancellation_is_told() {
  told_on_the_gates<cancellable_barrier>(0U,
                                         [](cancellable_barrier& barrier) { barrier.cancel(); });
}
void baton_is_told() {
  told_on_the_gates<baton>(side::worker, [](baton& turn) { turn.pass_to(side::worker); });
}
void count_is_told() {
  told_on_the_gates<signal_count>(1U, [](signal_count& count) { count.raise(); });
}

}  // namespace

int main(int argc, char** argv) {
  return model::check_protocol(
      "fork, barrier and join of our own threads (omp)",
      {{"2 regions", "each is seen by the worker and after the join", regions<false, false, 2>, {}},
       {"a region, the worker sleeps", "it wakes up", regions<false, true, 1>, {}},
       {"a region, the leader sleeps", "it wakes up", regions<true, false, 1>, {}},
       {"a region, both sleep", "both wake up", regions<true, true, 1>, {}},
       {"3 barriers of two", "all is seen after each", barriers_of_two<false, false, 3>, {}},
       {"2 barriers of two, one sleeps", "it wakes up", barriers_of_two<false, true, 2>, {}},
       {"2 barriers of two, both sleep", "both wake up", barriers_of_two<true, true, 2>, {}},
       {"2 cancellable barriers of two",
        "all is seen after each",
        cancellable_barriers<false, 2, 2>,
        {}},
       {"2 cancellable barriers of two, both sleep",
        "both wake up",
        cancellable_barriers<true, 2, 2>,
        {}},
       {"a cancellable barrier of three, all sleep",
        "all wake up",
        cancellable_barriers<true, 3, 1>,
        {}},
       {"cancelled while two wait", "both leave", cancelled_while_others_wait<false>, {}},
       {"cancelled while two sleep", "both wake up", cancelled_while_others_wait<true>, {}},
       {"queues come, cancellable barrier",
        "both that sleep on it wake up",
        queues_come_for_two,
        {}},
       {"cancellable barrier ended for a thread on the gates", "it wakes up", barrier_is_told, {}},
       {"cancelled for a thread on the gates", "it wakes up", cancellation_is_told, {}},
       {"queues come, baton",
        "who sleeps on it wakes up",
        [] { queues_come<baton>(side::worker); },
        {}},
       {"queues come, count",
        "who sleeps on it wakes up",
        [] { queues_come<signal_count>(1U); },
        {}},
       {"baton passed to a thread on the gates", "it wakes up", baton_is_told, {}},
       {"count raised for a thread on the gates", "it wakes up", count_is_told, {}}},
      argc, argv);
}
