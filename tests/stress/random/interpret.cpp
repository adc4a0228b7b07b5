// SPDX-License-Identifier: Apache-2.0
#include "stress/random/interpret.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/algorithm/pool/parallel_for.hpp"
#include "finegrain/algorithm/pool/parallel_reduce.hpp"
#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "finegrain/relic/relic.hpp"
#include "stress/random/checked_mutex.hpp"
#include "stress/random/dice.hpp"
#include "stress/random/isolation.hpp"
#include "stress/random/ledger.hpp"
#include "support/sanitizer.hpp"

namespace fg::test {

namespace {

#ifdef __OPTIMIZE__
constexpr bool kOptimized = true;
#else
constexpr bool kOptimized = false;
#endif

/// A coroutine without a waiter: begins at once, and frees itself.
struct wanderer {
  // NOLINTBEGIN(readability-convert-member-functions-to-static): objected to where they are used
  struct promise_type {
    wanderer get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    [[noreturn]] void unhandled_exception() { std::terminate(); }
  };
  // NOLINTEND(readability-convert-member-functions-to-static)
};

// Whether this thread works in `home`: also without a number of its own, if everything runs at
// once. Not inline: otherwise a coroutine that moves to another thread may keep the address of a
// thread_local.
[[gnu::noinline]] bool works_in(const pool& home) {
  const worker* const here = worker::current();
  return detail::presence::in(home) != nullptr && (here == nullptr || &here->home() == &home);
}

class execution {
 public:
  execution(const program& performed, const resources& has)
      : plan_{performed},
        stack_kib_{has.stack_kib},
        ledger_(performed.steps),
        flags_(performed.flags),
        mutexes_(performed.mutexes),
        pools_(performed.pools.size()) {}

  void live() {
    {
      std::list<pool> pools;
      for (std::size_t i = 0; i < plan_.pools.size() && !plan_.pools[i].own; ++i) {
        pools_[i] = &pools.emplace_back(options_of(plan_.pools[i]));
      }
      for (const phase& each : plan_.phases) {
        go_through(each);
      }
      while (!pools.empty()) {
        pools.pop_back();
      }
    }
    for (const phase& each : plan_.phases) {
      for (const script& thread : each.threads) {
        std::ranges::for_each(thread, [this](const step& at) { ledger_.check_at_the_end(at); });
      }
    }
  }

 private:
  using value = ledger::value;

  // A call of `perform` that can be stored.
  struct call {
    execution* here;
    const step* at;
    value operator()() const { return here->perform(*at); }
  };
  using async_call = pool_async<call>;

  // ---- pools, threads ----

  [[nodiscard]] pool_options options_of(const pool_plan& plan) const {
    pool_options options;
    options.workers = plan.workers;
    options.policy = plan.policy;
    options.queue_capacity = plan.queue_capacity;
    options.spin_budget = std::chrono::microseconds{plan.spin_us};
    options.help_stack_bytes = std::min<std::size_t>(plan.help_stack_kib, stack_kib_ / 8) * 1024;
    return options;
  }

  void go_through(const phase& each) {
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < each.threads.size(); ++i) {
      others.emplace_back([this, &each, i] { follow(each.threads[i]); });
    }
    follow(each.threads.front());
    for (std::thread& other : others) {
      other.join();
    }
  }

  void follow(const script& steps) {
    for (const step& at : steps) {
      perform_quietly(at);
    }
  }

  // ---- a step ----

  pool& pool_of(const step& at) { return *pools_[at.pool]; }

  value perform(const step& at) {
    record& own = ledger_.of(at);
    begin(at);
    try {
      own.value = mixed(at.id) + act(at);
      if (at.throws) {
        throw thrown{at.id};
      }
    } catch (const thrown& exception) {
      own.thrower = exception.id;
      own.became = record::fate::threw;
      throw;
    }
    own.became = record::fate::returned;
    return own.value;
  }

  // For steps whose exception has no receiver.
  void perform_quietly(const step& at) noexcept {
    try {
      perform(at);
    } catch (const thrown& exception) {
      expect(ledger_.of(at).threw() && ledger_.of(at).thrower == exception.id, at,
             "another exception arrived");
    }
  }

  void begin(const step& at) {
    expect(ledger_.of(at).begun.fetch_add(1, std::memory_order_relaxed) == 0, at,
           "was performed twice");
  }

  value act(const step& at) {
    switch (at.what) {
      case action::work:
        busy_for_hundreds_of_ns(at.size);
        return 0;
      case action::fork:
        return fork(at);
      case action::group:
        return group(at);
      case action::loop:
        return loop(at);
      case action::reduce:
        return reduce(at);
      case action::run:
        return run(at);
      case action::async:
        return async(at);
      case action::post:
        return post(at);
      case action::coroutine:
        return coroutine(at);
      case action::lock:
        return lock(at);
      case action::relic:
        return use_relic(at);
      case action::chain:
        return chain(at);
      case action::own:
        return own_pool(at);
      case action::raise:
        flags_[at.size].store(true, std::memory_order_release);
        return 0;
      case action::await:
        await(flags_[at.size]);
        return 0;
    }
    return 0;
  }

  static void busy_for_hundreds_of_ns(unsigned count) {
    const std::uint64_t until = ticks() + to_ticks(std::chrono::nanoseconds{100}) * count;
    while (ticks() < until) {
    }
  }

  static void await(const std::atomic<bool>& flag) {
    while (!flag.load(std::memory_order_acquire)) {
      std::this_thread::sleep_for(std::chrono::microseconds{20});
    }
  }

  // ---- algorithms ----

  value fork(const step& at) {
    const call f{this, at.parts.data()};
    const call g{this, &at.parts[1]};
    std::pair<value, value> values;
    const std::optional<unsigned> caught = caught_from(
        [&] { values = at.names_pool ? fork_join(pool_of(at), f, g) : fork_join(f, g); });
    return ledger_.check_fork(at, caught, values);
  }

  value group(const step& at) {
    const std::size_t last = at.parts.size() - (at.reused ? 1 : 0);
    std::optional<unsigned> caught;
    std::optional<unsigned> caught_again;
    {
      task_group tasks;
      spawn_all(at, last, tasks);
      if (!at.unwaited) {
        caught = caught_from([&tasks] { tasks.wait(); });
        ledger_.check_group(at, 0, last, caught, !at.at);
      }
      if (at.reused) {
        tasks.spawn([this, &at] { perform(at.parts.back()); });
        caught_again = caught_from([&tasks] { tasks.wait(); });
        ledger_.check_group(at, last, at.parts.size(), caught_again, true);
      }
    }
    const bool all = !at.at && !ledger_.any_threw(at, 0, last);
    const value sum = ledger_.sum_of_ended(at, 0, last, all);
    pass_on(caught);
    pass_on(caught_again);
    return sum;
  }

  void spawn_all(const step& at, std::size_t last, task_group& tasks) {
    if (at.relays) {
      spawn_relay(at, 0, last, tasks);
      return;
    }
    for (std::size_t i = 0; i < last; ++i) {
      tasks.spawn([this, &at, &tasks, i] { perform_in_group(at, i, tasks); });
      if (at.at == i && !at.cancelled_by_task) {
        tasks.cancel();
      }
    }
  }

  void spawn_relay(const step& at, std::size_t i, std::size_t last, task_group& tasks) {
    tasks.spawn([this, &at, &tasks, i, last] {
      if (i + 1 != last) {
        spawn_relay(at, i + 1, last, tasks);
      }
      perform_in_group(at, i, tasks);
    });
  }

  void perform_in_group(const step& at, std::size_t i, task_group& tasks) {
    if (at.at == i && at.cancelled_by_task) {
      tasks.cancel();
    }
    perform(at.parts[i]);
  }

  // Some iterations perform a part, one may throw.
  void iterate(const step& at, unsigned i) {
    ledger_.of(at).iterations[i].fetch_add(1, std::memory_order_relaxed);
    if (i < at.parts.size()) {
      perform(at.parts[i]);
    }
    if (at.at == i) {
      throw thrown{at.id};
    }
  }

  value loop(const step& at) {
    ledger_.prepare_iterations(at);
    const pool_loop_options options{.how = at.how == manner::lazy      ? partition::lazy
                                           : at.how == manner::dynamic ? partition::dynamic
                                                                       : partition::fixed};
    const auto each = [this, &at](unsigned i) { iterate(at, i); };
    const auto range = [&each](unsigned begin, unsigned end) {
      for (unsigned i = begin; i != end; ++i) {
        each(i);
      }
    };
    const auto loop_over = [&](const auto& body) {
      if (at.names_pool) {
        parallel_for(pool_of(at), 0U, at.size, body, options);
      } else {
        parallel_for(0U, at.size, body, options);
      }
    };
    const std::optional<unsigned> caught = caught_from([&] {
      if (at.ranges) {
        loop_over(range);
      } else {
        loop_over(each);
      }
    });
    return ledger_.check_loop(at, caught);
  }

  value reduce(const step& at) {
    const auto map = [&at](unsigned i) { return mixed(at.id + std::uint64_t{i}); };
    value expected = 0;
    for (unsigned i = 0; i < at.size; ++i) {
      expected += map(i);
    }
    const pool_reduce_options options{.deterministic = at.deterministic};
    const value sum =
        at.names_pool
            ? parallel_reduce(pool_of(at), 0U, at.size, value{0}, map, std::plus<>{}, options)
            : parallel_reduce(0U, at.size, value{0}, map, std::plus<>{}, options);
    expect(sum == expected, at, "a sum is wrong");
    return sum;
  }

  // ---- pools ----

  value run(const step& at) {
    value sum = 0;
    std::size_t done = 0;
    const std::optional<unsigned> caught = caught_from([&] {
      sum = pool_of(at).run([&] {
        expect(works_in(pool_of(at)), at, "run does not bring its caller into the pool");
        value inner = 0;
        for (const step& part : at.parts) {
          ++done;
          inner += perform(part);
        }
        return inner;
      });
    });
    expect(ledger_.sum_of_ended(at, 0, done, true) == sum || caught, at, "run's value is wrong");
    ledger_.expect_exception_of_parts(at, 0, at.parts.size(), caught);
    expect(caught || done == at.parts.size(), at, "run has not run to its end");
    pass_on(caught);
    return sum;
  }

  value async(const step& at) {
    value sum = 0;
    std::optional<unsigned> caught;
    {
      std::list<async_call> calls;
      for (const step& part : at.parts) {
        calls.emplace_back(pool_of(at), call{this, &part});
      }
      caught = caught_from([&] {
        std::size_t left = at.parts.size() - (at.unwaited ? 1 : 0);
        const step* part = at.parts.data();
        for (auto each = calls.begin(); left != 0; ++each, ++part, --left) {
          sum += got(*part, *each);
        }
      });
    }
    ledger_.sum_of_ended(at, 0, at.parts.size(), true);
    pass_on(caught);
    return sum;
  }

  value got(const step& part, async_call& from) {
    value result = 0;
    const std::optional<unsigned> caught = caught_from([&] { result = from.get(); });
    ledger_.check_got(part, caught, result);
    pass_on(caught);
    return result;
  }

  value post(const step& at) {
    pool_of(at).post(static_cast<task_priority>(at.size), [this, &at] {
      expect(works_in(pool_of(at)), at, "runs on a thread that is no worker of its pool");
      perform_quietly(at.parts.front());
      ledger_.of(at).ended.store(true, std::memory_order_release);
    });
    if (at.awaited) {
      await(ledger_.of(at).ended);
    }
    return 0;
  }

  value coroutine(const step& at) {
    wander(at);
    if (at.awaited) {
      await(ledger_.of(at).ended);
    }
    return 0;
  }

  // Its own value may be there before or after its first leg, so only `legs` belongs to the
  // coroutine.
  wanderer wander(const step& at) {
    record& own = ledger_.of(at);
    for (std::size_t i = 0; i < at.legs.size(); ++i) {
      const step& part = at.parts[i];
      pool& there = *pools_[at.legs[i].pool];
      if (at.legs[i].by_call) {
        std::optional<unsigned> caught;
        value result = 0;
        try {
          result = co_await fg::async(there, call{this, &part});
        } catch (const thrown& exception) {
          caught = exception.id;
        }
        ledger_.check_got(part, caught, result);
      } else {
        co_await resume_on(there);
        expect(works_in(there), at, "a coroutine goes on elsewhere");
        perform_quietly(part);
      }
      ++own.legs;
    }
    own.ended.store(true, std::memory_order_release);
  }

  value own_pool(const step& at) {
    value sum = 0;
    std::optional<unsigned> caught;
    {
      pool own{options_of(plan_.pools[at.pool])};
      pools_[at.pool] = &own;
      caught = caught_from([&] {
        for (const step& part : at.parts) {
          sum += perform(part);
        }
      });
    }
    ledger_.expect_exception_of_parts(at, 0, at.parts.size(), caught);
    pass_on(caught);
    return sum;
  }

  value chain(const step& at) { return chain_below(at, depth_for_stack(at.forks)); }

  // The forks take stack, so that calls below find more in use than a worker may use for helping.
  value chain_below(const step& at, unsigned forks) {
    if (forks == 0) {
      return chains(at);
    }
    const auto [below, beside] =
        fork_join([&] { return chain_below(at, forks - 1); }, [forks] { return forks; });
    expect(beside == forks, at, "a branch's value is wrong");
    return below;
  }

  value chains(const step& at) {
    const unsigned depth = depth_for_stack(at.size);
    std::list<pool_async<descent>> calls;
    for (unsigned i = 0; i < at.width; ++i) {
      calls.emplace_back(pool_of(at), descent{&pool_of(at), depth});
    }
    for (pool_async<descent>& each : calls) {
      expect(each.get() == depth, at, "a chain of calls has lost some");
    }
    return depth;
  }

  struct descent {
    pool* home;
    unsigned levels;
    unsigned operator()() const {
      return levels == 0 ? 0 : 1 + fg::async(*home, descent{home, levels - 1}).get();
    }
  };

  // A single chain takes less than half of the stack: a level takes 460 bytes optimized (clang 19,
  // x86-64), 740 under AddressSanitizer, 1230 without optimization.
  [[nodiscard]] unsigned depth_for_stack(unsigned asked) const {
    const std::size_t most = stack_kib_ * 3 / 8 / (kSanitized || !kOptimized ? 2 : 1);
    return static_cast<unsigned>(std::min<std::size_t>(asked, most));
  }

  value lock(const step& at) {
    checked_mutex& mutex = mutexes_[at.size];
    switch (mutex.enter(at.width != 0)) {
      case checked_mutex::entered::again:
        fail(at, "runs on top of a task that holds the mutex it wants");
      case checked_mutex::entered::no:
        return 0;
      case checked_mutex::entered::yes:
        break;
    }
    value sum = 0;
    const std::optional<unsigned> caught =
        caught_from([&] { sum = isolated([&] { return perform(at.parts.front()); }); });
    mutex.leave();
    expect(ledger_.sum_of_ended(at, 0, 1, true) == sum, at, "the isolated value is wrong");
    ledger_.expect_exception_of_parts(at, 0, 1, caught);
    pass_on(caught);
    return sum;
  }

  // ---- relics ----

  value use_relic(const step& at) {
    relic assistant;
    switch (at.how) {
      case manner::lazy:
        return submit(at, assistant);
      case manner::dynamic:
        return fork_over(at, assistant);
      case manner::fixed:
        return loop_over(at, assistant);
    }
    return 0;
  }

  value submit(const step& at, relic& assistant) {
    for (const step& part : at.parts) {
      assistant.submit([this, &part] { perform(part); });
    }
    const std::optional<unsigned> caught = caught_from([&] { assistant.wait(); });
    const value sum = ledger_.sum_of_ended(at, 0, at.parts.size(), true);
    ledger_.expect_exception_of_parts(at, 0, at.parts.size(), caught);
    const auto first = std::ranges::find_if(
        at.parts, [this](const step& part) { return ledger_.of(part).threw(); });
    expect(!caught || ledger_.of(*first).thrower == *caught, at,
           "the first task's exception has to win");
    pass_on(caught);
    return sum;
  }

  value fork_over(const step& at, relic& assistant) {
    const call f{this, at.parts.data()};
    const call g{this, &at.parts[1]};
    std::pair<value, value> values;
    const std::optional<unsigned> caught =
        caught_from([&] { values = fork_join(assistant, f, g); });
    return ledger_.check_fork(at, caught, values);
  }

  value loop_over(const step& at, relic& assistant) {
    ledger_.prepare_iterations(at);
    const std::optional<unsigned> caught = caught_from(
        [&] { parallel_for(assistant, 0U, at.size, [this, &at](unsigned i) { iterate(at, i); }); });
    return ledger_.check_loop(at, caught);
  }

  const program& plan_;
  std::size_t stack_kib_;
  ledger ledger_;
  std::vector<std::atomic<bool>> flags_;
  std::vector<checked_mutex> mutexes_;
  std::vector<pool*> pools_;  // also during their destruction, for tasks that still run
};

}  // namespace

void perform(const program& performed, const resources& has) { execution{performed, has}.live(); }

}  // namespace fg::test
