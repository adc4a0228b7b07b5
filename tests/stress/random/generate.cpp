// Generates random programs that terminate, provided that the library keeps its guarantees.
//
// It never generates a program that deadlocks by itself:
// - A task waits for a flag only in the phases that are written for that, with two threads each,
//   where the thread that sets the flag needs nothing that the waiting thread holds.
// - Work without a waiter (posts, coroutines) stays in its own pool, so that it ends whatever the
//   threads are doing, and needs no pool that is destroyed before its own. A coroutine moves only
//   to its pool, or to one that is destroyed later.
// - A relic made on a worker gets tasks that need no pool: that worker waits for them idly.
// - A thread that cannot get a mutex continues without it after a while, unless `feature::block` is
//   on.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "stress/random/dice.hpp"
#include "stress/random/plan.hpp"
#include "stress/random/step_maker.hpp"

namespace fg::test {

namespace {

class generator {
 public:
  generator(std::uint64_t seed, feature_set features)
      : dice_{seed}, features_{features}, steps_{made_, dice_, features} {
    made_.seed = seed;
    made_.mutexes = 2;
  }
  generator(const generator&) = delete;
  generator& operator=(const generator&) = delete;

  program make() {
    steps_.make_pools();
    const unsigned phases = dice_.between(1, 4);
    for (unsigned i = 0; i < phases; ++i) {
      make_phase();
    }
    return std::move(made_);
  }

 private:
  static constexpr unsigned kStepsAPhase = 60;

  void make_phase() {
    steps_.allow(kStepsAPhase);
    const unsigned kind = dice_.below(100);
    if (kind < 12 && features_.has(feature::cross)) {
      crossed_runs();
    } else if (kind < 20 && features_.has(feature::stranger)) {
      beside_a_stranger(false);
    } else if (kind < 24 && features_.has(feature::stranger1)) {
      beside_a_stranger(true);
    } else if (kind < 34 && features_.has(feature::one)) {
      posts_to_one_worker();
    } else if (kind < 44 && features_.has(feature::isolate)) {
      many_want_a_mutex();
    } else if (kind < 47 && features_.has(feature::chain)) {
      chains_of_calls();
    } else if (kind < 57 && features_.has(feature::hops)) {
      many_hops();
    } else if (kind < 70) {
      many_callers();
    } else {
      anything();
    }
  }

  phase& new_phase(std::string title, unsigned threads) {
    phase& made = made_.phases.emplace_back();
    made.title = std::move(title);
    made.threads.resize(threads);
    return made;
  }

  void anything() {
    phase& made = new_phase("anything", dice_.one_of({1U, 1U, 2U, 3U}));
    for (script& thread : made.threads) {
      const unsigned steps = dice_.between(1, 4);
      for (unsigned i = 0; i < steps; ++i) {
        thread.push_back(steps_.any_step({}));
      }
    }
  }

  void many_callers() {
    phase& made = new_phase("several callers of one pool", dice_.between(2, 4));
    const unsigned pool = steps_.any_pool();
    for (script& thread : made.threads) {
      const unsigned steps = dice_.between(1, 3);
      for (unsigned i = 0; i < steps; ++i) {
        thread.push_back(steps_.run(pool, {steps_.any_step(step_maker::within({}, pool))}));
      }
    }
  }

  // Each thread is in one pool, and then needs the other's.
  void crossed_runs() {
    if (steps_.pools() < 2) {
      many_callers();
      return;
    }
    const unsigned a = steps_.any_pool();
    const unsigned b = (a + 1 + dice_.below(steps_.pools() - 1)) % steps_.pools();
    phase& made = new_phase("runs crossed", 2);
    const unsigned a_is_in = made_.flags++;
    const unsigned b_is_in = made_.flags++;
    made.threads[0].push_back(crossing(a, b, a_is_in, b_is_in));
    made.threads[1].push_back(crossing(b, a, b_is_in, a_is_in));
  }

  step crossing(unsigned outer, unsigned inner, unsigned here, unsigned there) {
    const place inside = step_maker::within(step_maker::within({}, outer), inner);
    step crossed = steps_.run(inner, {steps_.any_step(inside)});
    if (dice_.one_in(2)) {  // and back
      crossed.parts.push_back(
          steps_.run(outer, {steps_.any_step(step_maker::within(inside, outer))}));
    }
    return steps_.run(outer, {steps_.flag(action::raise, here), steps_.flag(action::await, there),
                              std::move(crossed)});
  }

  // One thread is in a pool until work that another thread has given to that pool has ended. Only
  // plain work: if it forked, its parts might be distributed to the worker that waits.
  void beside_a_stranger(bool one_worker) {
    const std::optional<unsigned> pool = steps_.pool_of(one_worker);
    if (!pool) {
      many_callers();
      return;
    }
    phase& made = new_phase("beside a stranger's run", 2);
    const unsigned is_in = made_.flags++;
    const unsigned may_leave = made_.flags++;
    made.threads[0].push_back(steps_.run(
        *pool, {steps_.flag(action::raise, is_in), steps_.flag(action::await, may_leave)}));
    script& other = made.threads[1];
    other.push_back(steps_.flag(action::await, is_in));
    if (dice_.one_in(3)) {
      step posted = steps_.named(action::post, *pool);
      posted.size = 1;
      posted.parts.push_back(steps_.flag(action::raise, may_leave));
      other.push_back(std::move(posted));
    } else {
      step call = steps_.named(action::async, *pool);
      call.parts.push_back(steps_.work(false));
      other.push_back(std::move(call));
      other.push_back(steps_.flag(action::raise, may_leave));
    }
  }

  void posts_to_one_worker() {
    const std::optional<unsigned> pool = steps_.pool_of(true);
    if (!pool) {
      anything();
      return;
    }
    phase& made = new_phase("posts to one worker", dice_.between(1, 3));
    for (script& thread : made.threads) {
      const unsigned posts = dice_.between(1, 4);
      for (unsigned i = 0; i < posts; ++i) {
        thread.push_back(steps_.post(*pool));
      }
      thread.back().awaited = true;
    }
  }

  void many_want_a_mutex() {
    const unsigned pool = steps_.pool_of(false).value_or(0);
    phase& made = new_phase("a mutex held around waits", dice_.between(1, 3));
    for (script& thread : made.threads) {
      const bool by_calls = &thread != made.threads.data() && dice_.one_in(2);
      step all = steps_.named(by_calls ? action::async : action::group, pool);
      const unsigned size = dice_.between(4, 12);
      for (unsigned i = 0; i < size; ++i) {
        all.parts.push_back(dice_.one_in(6) ? steps_.work(steps_.may_throw()) : steps_.lock());
      }
      thread.push_back(by_calls ? std::move(all) : steps_.run(pool, {std::move(all)}));
    }
  }

  void chains_of_calls() {
    phase& made = new_phase("chains of calls", 1);
    step chain = steps_.named(action::chain, steps_.any_pool());
    chain.width = dice_.between(1, 20);
    chain.size = dice_.between(500, 3000);
    const bool inside = dice_.one_in(2);
    chain.forks = inside ? dice_.one_of({0U, 0U, 500U, 2000U}) : 0;
    made.threads[0].push_back(inside ? steps_.run(chain.pool, {chain}) : chain);
  }

  void many_hops() {
    phase& made = new_phase("coroutines among the workers", dice_.between(1, 2));
    for (script& thread : made.threads) {
      const unsigned size = dice_.between(1, 8);
      for (unsigned i = 0; i < size; ++i) {
        thread.push_back(steps_.coroutine({}));
      }
    }
  }

  dice dice_;
  feature_set features_;
  program made_;
  step_maker steps_;
};

}  // namespace

program generate(std::uint64_t seed, feature_set features) {
  return generator{seed, features}.make();
}

}  // namespace fg::test
