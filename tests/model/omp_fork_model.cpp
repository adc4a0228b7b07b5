// Fork, barrier and join of our own threads (omp/runtime/hot_team.hpp): the words that they pass to
// and fro, the barriers of regions that may be cancelled, and threads that sleep on them.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "checker/protocol.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/core/atomic.hpp"
#include "runtime/baton.hpp"
#include "runtime/baton_tree.hpp"
#include "runtime/cancellable_barrier.hpp"
#include "runtime/fork_tree.hpp"
#include "runtime/signal_count.hpp"

namespace {

using fg::omp::runtime::baton;
using fg::omp::runtime::baton_tree;
using fg::omp::runtime::cancellable_barrier;
using fg::omp::runtime::fork_tree;
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

// ---- wide regions: a tree of threads ----

// The smallest tree with a thread between two others: 0, below it 1, below that 2.
struct chain {
  static constexpr bool may_have_others_below(std::uint32_t number) { return number < 2; }
  template <class Each>
  static constexpr void nearest_first(std::uint32_t number, std::uint32_t size, Each each) {
    if (number + 1 < size) {
      each(number + 1);
    }
  }
  template <class Each>
  static constexpr void farthest_first(std::uint32_t number, std::uint32_t size, Each each) {
    nearest_first(number, size, each);
  }
};

template <class Tree, std::uint32_t Threads>
struct batons {
  baton of[Threads];
  [[nodiscard]] auto tree() {
    const auto turn_of = [this](std::uint32_t number) -> baton& { return of[number]; };
    return baton_tree<Tree, decltype(turn_of)>{Threads, turn_of};
  }
};

// As hot_team::waiting_in_tree, without queues.
template <bool Sleeps>
struct waiting_alone {
  static void for_pass_up(baton& turn) { await<Sleeps>(turn, side::leader); }
  static bool for_pass_down(baton& turn, bool /*announces*/) {
    await<Sleeps>(turn, side::worker);
    return false;
  }
  static void tell() {}
};

template <std::uint32_t Threads, class Part>
void run_each(Part part) {
  if constexpr (Threads == 3) {
    model::run_threads([&] { part(0); }, [&] { part(1); }, [&] { part(2); });
  } else {
    static_assert(Threads == 4);
    model::run_threads([&] { part(0); }, [&] { part(1); }, [&] { part(2); }, [&] { part(3); });
  }
}

// A region, as hot_team does: each starts those below it, then there are barriers, then each waits
// for those below it.
template <class Tree, std::uint32_t Threads, std::uint32_t Barriers>
void wide_region() {
  batons<Tree, Threads> all;
  int given[Threads]{1};
  std::uint32_t written[Threads][Barriers + 1]{};
  run_each<Threads>([&](std::uint32_t own) {
    if (own != 0) {
      await<false>(all.of[own], side::worker);
    }
    model::require(given[own] == 1, "what is to run comes down with the baton");
    Tree::farthest_first(own, Threads, [&](std::uint32_t other) {
      given[other] = given[own];
      all.of[other].pass_to(side::worker);
    });
    waiting_alone<false> waiting;
    for (std::uint32_t i = 0; i < Barriers; ++i) {
      written[own][i] = i + 1;
      all.tree().meet(own, waiting);
      for (const auto& each : written) {
        model::require(each[i] == i + 1, "what was written before is seen after it");
      }
    }
    written[own][Barriers] = 1;
    all.tree().gather(own, [](baton& turn) { await<false>(turn, side::leader); });
    if (own != 0) {
      all.of[own].pass_to(side::leader);
      return;
    }
    for (const auto& each : written) {
      model::require(each[Barriers] == 1, "what the region did is seen after it");
    }
  });
}

// A barrier of three, one above the other, in which one of them sleeps.
template <std::uint32_t Sleeper>
void wide_barrier_with_a_sleeper() {
  batons<chain, 3> all;
  all.of[1].pass_to(side::worker);
  all.of[2].pass_to(side::worker);
  std::uint32_t written[3]{};
  run_each<3>([&](std::uint32_t own) {
    written[own] = 1;
    if (own == Sleeper) {
      waiting_alone<true> waiting;
      all.tree().meet(own, waiting);
    } else {
      waiting_alone<false> waiting;
      all.tree().meet(own, waiting);
    }
    for (const std::uint32_t each : written) {
      model::require(each == 1, "what was written before is seen after it");
    }
  });
}

// A reduction: each thread adds to its own what those below it bring, and then keeps that no longer.
// As hot_team::combine.
template <class Tree, std::uint32_t Threads, bool Meets>
void reduction() {
  batons<Tree, Threads> all;
  for (std::uint32_t each = 1; each < Threads; ++each) {
    all.of[each].pass_to(side::worker);
  }
  int* brought[Threads]{};
  int result = 0;
  run_each<Threads>([&](std::uint32_t number) {
    waiting_alone<false> waiting;
    for (int round = 1; round <= 2; ++round) {
      int own = 1;
      brought[number] = &own;
      const auto take = [&](std::uint32_t other) { own += *brought[other]; };
      if constexpr (Meets) {
        all.tree().come_up(number, waiting, take);
      } else {
        all.tree().bring_up(number, waiting, take);
      }
      if (number == 0) {
        result += own;
        model::require(result == static_cast<int>(Threads) * round, "all is in it");
      }
      if constexpr (Meets) {
        all.tree().go_down(number, waiting);
        model::require(result == static_cast<int>(Threads) * round, "all see it");
      }
      own = -1;  // as another call's data
      if constexpr (Meets) {
        all.tree().meet(number, waiting);  // before the next one changes the result
      }
    }
  });
}

// Thread 1 becomes busy before it has its baton back, with a task of thread 0's that was created
// after the barrier and waits for thread 2. `Barriers`: 0 and 2 meet again meanwhile, with 1 when it
// is no longer busy.
template <std::uint32_t Barriers>
void busy_in_the_middle() {
  batons<chain, 3> all;
  all.of[1].pass_to(side::worker);
  all.of[2].pass_to(side::worker);
  fg::atomic<int> task{0};  // 1: there is one
  fg::atomic<bool> flag{false};
  std::uint32_t written[3][Barriers]{};
  struct busy : waiting_alone<false> {
    fg::atomic<int>* task;
    fg::atomic<bool>* flag;
    // Any time before it sees its baton.
    bool for_pass_down(baton& turn, bool announces) const {
      const bool is_busy = announces && turn.become_busy();
      if (is_busy && task->load(fg::memory_order_acquire) == 1) {
        model::await([&] { return flag->load(fg::memory_order_acquire); });
      }
      model::await([&] { return turn.has_reached(side::worker); });
      return is_busy;
    }
  } waiting{{}, &task, &flag};
  run_each<3>([&](std::uint32_t own) {
    for (std::uint32_t i = 0; i < Barriers; ++i) {
      written[own][i] = i + 1;
      all.tree().meet(own, waiting);
      for (const auto& each : written) {
        model::require(each[i] == i + 1, "what was written before is seen after it");
      }
      if (i == 0 && own == 0) {
        task.store(1, fg::memory_order_release);
      }
      if (i == 0 && own == 2) {
        flag.store(true, fg::memory_order_release);
      }
    }
  });
}

// While thread 0 passes it the baton, thread 1 announces that it is busy: one of them passes that
// of thread 2, and before the other one sees it.
void passed_while_becoming_busy() {
  baton turn;
  baton below;
  model::run_threads(
      [&] {
        if (!turn.pass_unless_busy()) {
          below.pass_to(side::worker);
          turn.pass_to(side::worker);
        }
      },
      [&] {
        const bool is_busy = turn.become_busy();
        await<false>(turn, side::worker);
        if (is_busy) {
          model::require(below.has_reached(side::worker), "it was passed before the busy one's");
        } else {
          below.pass_to(side::worker);
        }
      },
      [&] { await<true>(below, side::worker); });
}

// The region gets queues while a thread goes to sleep on its baton. It becomes busy then, and who
// wakes it withdraws the announcement of its sleep, not this one.
void queues_come_for_a_busy_one() {
  baton turn;
  baton below;
  fg::atomic<bool> has_queues{false};
  model::run_threads(
      [&] {
        has_queues.store(true, fg::memory_order_seq_cst);  // as thread::join_team_long
        turn.rouse();
        if (!turn.pass_unless_busy()) {
          below.pass_to(side::worker);
          turn.pass_to(side::worker);
        }
      },
      [&] {
        const auto stays = [&] { return !has_queues.load(fg::memory_order_seq_cst); };
        while (stays() && !turn.has_reached(side::worker)) {
          turn.sleep_before(side::worker, stays);
        }
        const bool is_busy = turn.become_busy();
        await<false>(turn, side::worker);
        model::require(!is_busy || below.has_reached(side::worker), "it is known as busy");
      });
}

// ---- queues ----

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
void baton_of_many_is_told() {
  told_on_the_gates<baton>(side::worker,
                           [](baton& turn) { static_cast<void>(turn.pass_unless_busy()); });
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
       {"a region of three, one above the other",
        "all is seen after its barrier and its join",
        wide_region<chain, 3, 1>,
        {}},
       {"2 barriers of three, one above the other",
        "all is seen after each",
        wide_region<chain, 3, 2>,
        {}},
       {"a barrier of three, the first one sleeps",
        "it wakes up",
        wide_barrier_with_a_sleeper<0>,
        {}},
       {"a barrier of three, the middle one sleeps",
        "it wakes up",
        wide_barrier_with_a_sleeper<1>,
        {}},
       {"a barrier of three, the last one sleeps",
        "it wakes up",
        wide_barrier_with_a_sleeper<2>,
        {}},
       {"a region of four, a tree to the base 2",
        "all is seen after its barrier and its join",
        wide_region<fork_tree<2>, 4, 1>,
        {}},
       {"2 reductions of three with barriers",
        "the sum has all, and is seen",
        reduction<chain, 3, true>,
        {}},
       {"2 reductions of three without",
        "the sum has all, and values are kept until they are taken",
        reduction<chain, 3, false>,
        {}},
       {"2 reductions of four without, a tree to the base 2",
        "the sum has all, and values are kept until they are taken",
        reduction<fork_tree<2>, 4, false>,
        {}},
       {"busy in the middle of three, with a task that waits for the last one",
        "the last one is let go",
        busy_in_the_middle<1>,
        {}},
       {"the same, and they meet again", "all is seen after each", busy_in_the_middle<2>, {}},
       {"passed to a thread that becomes busy",
        "one of both passes on",
        passed_while_becoming_busy,
        {}},
       {"queues come for a thread that becomes busy",
        "it wakes up",
        queues_come_for_a_busy_one,
        {}},
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
       {"baton passed to a thread on the gates that has others below it",
        "it wakes up",
        baton_of_many_is_told,
        {}},
       {"count raised for a thread on the gates", "it wakes up", count_is_told, {}}},
      argc, argv);
}
