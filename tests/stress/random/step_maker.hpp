// The steps of random programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "finegrain/pool/policies.hpp"
#include "stress/random/dice.hpp"
#include "stress/random/plan.hpp"

namespace fg::test {

/// Where a step will be performed.
struct place {
  std::optional<unsigned> pool;  ///< on a worker of it; none: on a thread of the program
  std::optional<unsigned> own;   ///< a pool that an enclosing step has made
  bool stays = false;            ///< in that pool, because it has no waiter
  bool needs_no_pool = false;    ///< on a relic's assistant, while a worker waits for that
  unsigned lowest = 0;           ///< without `cross`, the first of the other pools that it may use
  unsigned depth = 4;

  [[nodiscard]] place deeper() const {
    place inner = *this;
    inner.depth = depth == 0 ? 0 : depth - 1;
    return inner;
  }
};

/// Makes random pools and trees of steps for `made`.
class step_maker {
 public:
  step_maker(program& made, dice& from, feature_set features)
      : dice_{from}, features_{features}, made_{made} {}

  /// From now on about this many steps, and then only the smallest.
  void allow(unsigned steps) { left_ = steps; }

  /// Call it first. Steps may make more pools, of their own.
  void make_pools() {
    pools_ = dice_.one_of({1U, 1U, 2U, 2U, 2U, 3U});
    for (unsigned i = 0; i < pools_; ++i) {
      add_pool();
    }
  }

  /// Without the pools of steps, as in `any_pool`.
  [[nodiscard]] unsigned pools() const { return pools_; }

  // Not one that belongs to a step.
  [[nodiscard]] unsigned any_pool() { return dice_.below(pools_); }

  /// A pool of one worker, or of more; empty if there is none.
  [[nodiscard]] std::optional<unsigned> pool_of(bool one_worker) {
    const unsigned first = dice_.below(pools_);
    for (unsigned i = 0; i < pools_; ++i) {
      const unsigned pool = (first + i) % pools_;
      if ((made_.pools[pool].workers == 1) == one_worker) {
        return pool;
      }
    }
    return std::nullopt;
  }

  /// The place of the parts that a step at `here` runs in `pool`.
  [[nodiscard]] static place within(const place& here, unsigned pool) {
    place inner = here.deeper();
    inner.pool = pool;
    inner.lowest = std::max(here.lowest, pool + 1);
    return inner;
  }

  /// A step with an id, otherwise empty.
  step named(action what, unsigned pool = 0) {
    left_ -= left_ == 0 ? 0 : 1;
    step made;
    made.what = what;
    made.id = made_.steps++;
    made.pool = pool;
    return made;
  }

  /// Whether the next step throws.
  bool may_throw() { return features_.has(feature::throwing) && dice_.percent(6); }

  step flag(action what, unsigned number) {
    step made = named(what);
    made.size = number;
    return made;
  }

  step work(bool throws) {
    step made = named(action::work);
    made.size = dice_.one_of({0U, 1U, 5U, 20U, 100U, 500U});
    made.throws = throws;
    return made;
  }

  step run(unsigned pool, std::vector<step> parts) {
    step made = named(action::run, pool);
    made.parts = std::move(parts);
    return made;
  }

  /// A tree of any steps that are allowed there.
  step any_step(const place& here) {
    if (left_ == 0 || here.depth == 0) {
      return work(may_throw());
    }
    const unsigned kind = dice_.below(100);
    if (kind < 14) {
      return work(may_throw());
    }
    if (kind < 32) {
      return fork(here);
    }
    if (kind < 50) {
      return group(here);
    }
    if (kind < 58) {
      return loop(here);
    }
    if (kind < 62) {
      return reduce(here);
    }
    if (kind < 75) {
      return run_somewhere(here);
    }
    if (kind < 88) {
      return async(here);
    }
    if (kind < 92) {
      return post_somewhere(here);
    }
    if (kind < 95) {
      return coroutine_somewhere(here);
    }
    if (kind < 98) {
      return may_lock(here) ? lock() : fork(here);
    }
    if (here.needs_no_pool) {
      return work(may_throw());
    }
    return features_.has(feature::relic) && dice_.one_in(2) ? relic(here) : own_pool(here);
  }

  /// Posted steps stay in that pool.
  step post(unsigned pool) {
    step made = named(action::post, pool);
    made.size = dice_.one_of({0U, 1U, 1U, 2U});
    made.parts.push_back(any_step(left_alone_in(pool)));
    return made;
  }

  /// Its legs stay in their pools.
  step coroutine(const place& here) {
    step made = named(action::coroutine);
    unsigned pool = pool_for_strays(here);
    const unsigned legs = features_.has(feature::hops) ? dice_.one_of({1U, 2U, 3U, 10U, 30U}) : 1;
    bool all_have_workers = true;
    for (unsigned i = 0; i < legs; ++i) {
      all_have_workers = all_have_workers && has_worker_for_posts(pool);
      const bool by_call = features_.has(feature::hops) && dice_.one_in(5);
      made.legs.push_back({.pool = pool, .by_call = by_call});
      const bool simple = legs > 3 || dice_.one_in(2);
      made.parts.push_back(simple ? work(by_call && may_throw()) : any_step(left_alone_in(pool)));
      if (pool != 0 && dice_.one_in(3)) {
        pool = dice_.below(std::min(pool + 1, pools_));
      }
    }
    made.awaited = !here.pool && all_have_workers && dice_.one_in(3);
    return made;
  }

  /// Holds a mutex around isolated work.
  step lock() {
    step made = named(action::lock);
    made.size = dice_.below(made_.mutexes);
    made.width = features_.has(feature::block) ? 1 : 0;
    step held = dice_.one_in(3) ? named(action::fork) : named(action::group);
    const unsigned size = held.what == action::fork ? 2 : dice_.between(2, 5);
    for (unsigned i = 0; i < size; ++i) {
      held.parts.push_back(dice_.one_in(4) ? fork_of_work() : work_to_take());
    }
    made.parts.push_back(std::move(held));
    return made;
  }

 private:
  unsigned add_pool() {
    pool_plan& pool = made_.pools.emplace_back();
    pool.workers = dice_.one_of({1U, 1U, 1U, 2U, 2U, 2U, 2U, 3U, 3U, 8U});
    if (features_.has(feature::policy) && dice_.percent(35)) {
      pool.policy = detail::kBalancingPolicies[dice_.below(detail::kBalancingPolicies.size())].name;
    }
    pool.queue_capacity = dice_.one_of({0U, 0U, 0U, 0U, 1U, 8U});
    pool.spin_us = dice_.one_of({200U, 200U, 20U, 0U});
    pool.help_stack_kib = dice_.one_of({1024U, 1024U, 256U, 64U});
    return static_cast<unsigned>(made_.pools.size() - 1);
  }

  // A pool whose workers the step may use from its place.
  [[nodiscard]] std::optional<unsigned> usable_pool(const place& here) {
    if (here.needs_no_pool) {
      return std::nullopt;
    }
    if (here.stays) {
      return here.pool;
    }
    if (here.own && dice_.one_in(2) &&
        (features_.has(feature::cross) || here.lowest <= *here.own)) {
      return here.own;
    }
    if (features_.has(feature::cross)) {
      return any_pool();
    }
    if (here.lowest >= pools_ || (here.pool && dice_.one_in(2))) {
      return here.pool;
    }
    return dice_.between(here.lowest, pools_ - 1);
  }

  [[nodiscard]] static place leaves_of(const place& here) {
    place inner = here;
    inner.depth = 0;
    return inner;
  }

  [[nodiscard]] static place left_alone_in(unsigned pool) {
    place there;
    there.pool = pool;
    there.stays = true;
    there.depth = 2;
    return there;
  }

  // Sometimes with the form that names a pool, which enters it.
  place enter_by_name(step& made, const place& here) {
    const std::optional<unsigned> pool = usable_pool(here);
    made.names_pool = pool && dice_.one_in(here.pool ? 8 : 2);
    if (made.names_pool) {
      made.pool = *pool;
      return within(here, *pool);
    }
    return here.deeper();
  }

  void add_parts(step& made, const place& inside, unsigned parts) {
    for (unsigned i = 0; i < parts; ++i) {
      made.parts.push_back(any_step(inside));
    }
  }

  step fork(const place& here) {
    step made = named(action::fork);
    const place inside = enter_by_name(made, here);
    add_parts(made, inside, 2);
    return made;
  }

  step group(const place& here) {
    step made = named(action::group);
    const unsigned size = dice_.one_of({1U, 1U, 2U, 2U, 3U, 3U, 5U, 5U, 12U, 300U});
    add_parts(made, size == 300 ? leaves_of(here) : here.deeper(), size);
    made.relays = dice_.one_in(4);
    made.reused = size > 1 && dice_.one_in(4);
    made.unwaited = !made.reused && dice_.one_in(6);
    if (features_.has(feature::cancel) && dice_.one_in(5)) {
      made.at = dice_.below(size - (made.reused ? 1 : 0));
      made.cancelled_by_task = made.relays || dice_.one_in(2);
    }
    return made;
  }

  step loop(const place& here) {
    step made = named(action::loop);
    const place inside = enter_by_name(made, here);
    made.size = dice_.one_of({0U, 1U, 7U, 64U, 500U});
    made.how = dice_.one_of({manner::lazy, manner::lazy, manner::dynamic, manner::fixed});
    made.ranges = dice_.one_in(3);
    if (made.size != 0 && may_throw()) {
      made.at = dice_.below(made.size);
    }
    add_parts(made, inside, std::min(made.size, dice_.below(4)));
    return made;
  }

  step reduce(const place& here) {
    step made = named(action::reduce);
    static_cast<void>(enter_by_name(made, here));
    made.size = dice_.one_of({0U, 1U, 100U, 1000U});
    made.deterministic = dice_.one_in(2);
    return made;
  }

  step run_somewhere(const place& here) {
    const std::optional<unsigned> pool = usable_pool(here);
    if (!pool) {
      return fork(here);
    }
    step made = named(action::run, *pool);
    add_parts(made, within(here, *pool), dice_.between(1, 2));
    made.throws = may_throw();
    return made;
  }

  step async(const place& here) {
    const std::optional<unsigned> pool = usable_pool(here);
    if (!pool) {
      return fork(here);
    }
    step made = named(action::async, *pool);
    add_parts(made, within(here, *pool), dice_.between(1, 3));
    made.unwaited = dice_.one_in(5);
    return made;
  }

  // For a place where all pools still exist: a worker without a waiter is sure only of its own.
  [[nodiscard]] unsigned pool_for_strays(const place& here) {
    if (here.stays) {
      return here.pool.value_or(0);
    }
    return here.own && dice_.one_in(2) ? *here.own : any_pool();
  }

  [[nodiscard]] bool has_worker_for_posts(unsigned pool) const {
    return made_.pools[pool].workers > 1 || features_.has(feature::one);
  }

  step post_somewhere(const place& here) {
    if (here.needs_no_pool) {
      return work(may_throw());
    }
    step made = post(pool_for_strays(here));
    made.awaited = !here.pool && has_worker_for_posts(made.pool) && dice_.one_in(2);
    return made;
  }

  step coroutine_somewhere(const place& here) {
    // A coroutine that begins on a worker may stay in that worker's queue: `hops`.
    const bool simple = !here.pool || features_.has(feature::hops);
    return !here.needs_no_pool && simple ? coroutine(here) : fork(here);
  }

  // Not in steps without a waiter: an isolated wait may need a task in the queue of a worker that
  // awaits a flag, which the isolated worker would have to raise.
  [[nodiscard]] bool may_lock(const place& here) const {
    return features_.has(feature::isolate) && here.pool && !here.stays;
  }

  // The steps below may use its pool, which is left when they have ended.
  step own_pool(const place& here) {
    if (here.own || here.stays) {
      return fork(here);
    }
    step made = named(action::own, add_pool());
    made_.pools.back().own = true;
    place inside = here.deeper();
    inside.own = made.pool;
    add_parts(made, inside, dice_.between(1, 4));
    return made;
  }

  // Long enough for other threads to take it.
  step work_to_take() {
    step made = work(may_throw());
    made.size = dice_.one_of({1U, 20U, 100U, 500U});
    return made;
  }

  step fork_of_work() {
    step made = named(action::fork);
    made.parts.push_back(work_to_take());
    made.parts.push_back(work_to_take());
    return made;
  }

  step relic(const place& here) {
    step made = named(action::relic);
    made.how = dice_.one_of({manner::lazy, manner::dynamic, manner::fixed});
    place inside = here.deeper();
    inside.needs_no_pool = here.pool.has_value();
    inside.pool.reset();
    inside.depth = std::min(inside.depth, here.pool ? 1U : 2U);
    made.size = 100;
    if (made.how == manner::fixed && may_throw()) {
      made.at = dice_.below(made.size);
    }
    add_parts(made, inside, made.how == manner::dynamic ? 2 : dice_.between(1, 6));
    return made;
  }

  dice& dice_;
  feature_set features_;
  program& made_;
  unsigned pools_ = 0;  // shared by all steps; the numbers of steps' own pools follow
  unsigned left_ = 0;
};

}  // namespace fg::test
