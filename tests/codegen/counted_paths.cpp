// counted_paths PATH: runs one hot path kPasses times, for callgrind, which counts while `fg_count`
// runs (test_hot_paths.py). Exits with 1 if a result is wrong.
//
// Everything runs on this thread, so that the counts are the same each time, except for the relic's
// tasks: there only the main thread's side is counted, and it never finds the assistant unfinished.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>
#include <thread>

#include "finegrain/finegrain.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/queue/spsc_ring.hpp"
#include "finegrain/relic/handoff_ring.hpp"
#include "finegrain/task/pool_task.hpp"

namespace {

constexpr long kPasses = 1000;

// The instructions that callgrind counts: those of `path`, with a call and a return.
template <class Path>
[[gnu::noinline]] void fg_count(Path& path) {
  path();
}

bool relic_submit_and_wait(bool counts_submit) {
  fg::relic relic{{.spin_budget = std::chrono::hours{1}}};
  long ran = 0;
  auto submit = [&] { relic.submit([&ran] { ++ran; }); };
  auto wait = [&] { relic.wait(); };
  for (long i = 0; i != kPasses; ++i) {
    counts_submit ? fg_count(submit) : submit();
    while (!fg::detail::relic_access::is_ready(relic)) {
      std::this_thread::sleep_for(std::chrono::microseconds{100});
    }
    counts_submit ? wait() : fg_count(wait);
  }
  return ran == kPasses && !relic.inline_mode();
}

// A closure with a captured value, and its result.
bool relic_fork_and_get(bool counts_fork) {
  fg::relic relic{{.spin_budget = std::chrono::hours{1}}};
  long sum = 0;
  for (long i = 0; i != kPasses; ++i) {
    using task = fg::forked<long>;
    alignas(task) std::byte room[sizeof(task)];
    task* forked = nullptr;
    auto fork = [&] {
      forked = ::new (static_cast<void*>(room)) task(relic.fork([i] { return i; }));
    };
    auto get = [&] {
      sum += forked->get();
      std::destroy_at(forked);
    };
    counts_fork ? fg_count(fork) : fork();
    while (!fg::detail::relic_access::is_ready(relic)) {
      std::this_thread::sleep_for(std::chrono::microseconds{100});
    }
    counts_fork ? get() : fg_count(get);
  }
  return sum == kPasses * (kPasses - 1) / 2 && !relic.inline_mode();
}

// Both ends of the protocol: publish, run, complete, see it finished, go back to the hot slot.
bool handoff() {
  fg::detail::handoff_ring<128> ring;
  long ran = 0;
  auto pass = [&] {
    if (ring.reserve()) {
      ring.next_record().emplace([&ran] { ++ran; });
      ring.publish();
      ring.try_next()->run();
      ring.complete();
      if (ring.drained()) {
        ring.rewind();
      }
    }
  };
  for (long i = 0; i != kPasses; ++i) {
    fg_count(pass);
  }
  return ran == kPasses;
}

bool private_deque() {
  fg::detail::private_deque deque;
  fg::pool_task task;
  long popped = 0;
  auto pass = [&] {
    static_cast<void>(deque.push_unless_asked(task));
    popped += deque.pop_unless_asked(task) ? 1 : 0;
  };
  for (long i = 0; i != kPasses; ++i) {
    fg_count(pass);
  }
  return popped == kPasses;
}

bool spsc_ring() {
  fg::detail::spsc_ring<long> ring{64};
  long sum = 0;
  auto pass = [&] {
    long item = 0;
    if (ring.try_push(1) && ring.try_pop(item)) {
      sum += item;
    }
  };
  for (long i = 0; i != kPasses; ++i) {
    fg_count(pass);
  }
  return sum == kPasses;
}

long fib(long n) {
  if (n < 2) {
    return n;
  }
  const auto [low, high] = fg::fork_join([n] { return fib(n - 2); }, [n] { return fib(n - 1); });
  return low + high;
}

// 986 forks, because there is no tree of 1000.
bool pool_fork_join() {
  fg::pool pool{{.workers = 1, .policy = "private_deque"}};
  return pool.run([] {
    long result = 0;
    auto tree = [&result] { result = fib(15); };
    fg_count(tree);
    return result == 610;
  });
}

bool task_group() {
  fg::pool pool{{.workers = 1, .policy = "private_deque"}};
  return pool.run([] {
    long ran = 0;
    auto tasks = [&ran] {
      fg::task_group group;
      for (long i = 0; i != kPasses; ++i) {
        group.spawn([&ran] { ++ran; });
      }
      group.wait();
    };
    tasks();  // which allocates the blocks
    fg_count(tasks);
    return ran == 2 * kPasses;
  });
}

// `mode`: adaptive runs it here in one piece, always in the pieces that others could take.
bool pool_parallel_for(fg::offload mode) {
  fg::pool pool{{.workers = 1, .policy = "private_deque"}};
  return pool.run([mode] {
    long sum = 0;
    auto loop = [&sum, mode] {
      fg::parallel_for(0L, kPasses, [&sum](long i) { sum += i; }, {.mode = mode});
    };
    fg_count(loop);
    return sum == kPasses * (kPasses - 1) / 2;
  });
}

// Loops over bytes, each of which the compiler takes to be able to change what a closure captured,
// unless it sees that no other code can reach that: then it need not load that again for each byte,
// and handles many at once.
struct bytes {
  static constexpr std::size_t kSize = 1000;
  unsigned char* data;
  unsigned char factor;

  void change(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i != end; ++i) {
      data[i] = static_cast<unsigned char>(data[i] * factor + 1);
    }
  }
  void operator()() const { change(0, kSize); }
};

// `run` is to change each of the bytes once.
template <class Run>
bool changes_bytes(Run run) {
  std::array<unsigned char, bytes::kSize> data{};
  data.fill(5);
  run(bytes{data.data(), 3});
  return std::all_of(data.begin(), data.end(), [](unsigned char each) { return each == 16; });
}

bool handoff_bytes() {
  return changes_bytes([](const bytes& all) {
    fg::detail::task_record record;
    record.emplace(all);
    auto task = [&record] { record.run(); };
    fg_count(task);
  });
}

// `operation`, counted on a pool, is to change each of the bytes once.
template <class Operation>
bool changes_bytes_on_a_pool(Operation operation) {
  fg::pool pool{{.workers = 1, .policy = "private_deque"}};
  return pool.run([operation] {
    return changes_bytes([operation](const bytes& all) {
      auto counted = [operation, &all] { operation(all); };
      fg_count(counted);
    });
  });
}

bool pool_parallel_for_bytes() {
  return changes_bytes_on_a_pool([](const bytes& all) {
    fg::parallel_for(std::size_t{0}, bytes::kSize, [all](std::size_t i) { all.change(i, i + 1); });
  });
}

bool pool_fork_join_bytes() {
  return changes_bytes_on_a_pool([](const bytes& all) {
    fg::fork_join([all] { all.change(0, bytes::kSize / 2); },
                  [all] { all.change(bytes::kSize / 2, bytes::kSize); });
  });
}

bool pool_parallel_invoke_bytes() {
  return changes_bytes_on_a_pool([](const bytes& all) {
    fg::parallel_invoke([all] { all.change(0, bytes::kSize / 2); },
                        [all] { all.change(bytes::kSize / 2, bytes::kSize); });
  });
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view path = count > 1 ? arguments[1] : "";
  struct row {
    std::string_view name;
    bool (*run)();
  };
  constexpr row kPaths[] = {
      {"relic_submit", [] { return relic_submit_and_wait(true); }},
      {"relic_wait", [] { return relic_submit_and_wait(false); }},
      {"relic_fork", [] { return relic_fork_and_get(true); }},
      {"relic_get", [] { return relic_fork_and_get(false); }},
      {"handoff", handoff},
      {"private_deque", private_deque},
      {"spsc_ring", spsc_ring},
      {"pool_fork_join", pool_fork_join},
      {"task_group", task_group},
      {"pool_parallel_for", [] { return pool_parallel_for(fg::offload::adaptive); }},
      {"handoff_bytes", handoff_bytes},
      {"pool_parallel_for_bytes", pool_parallel_for_bytes},
      {"pool_fork_join_bytes", pool_fork_join_bytes},
      {"pool_parallel_invoke_bytes", pool_parallel_invoke_bytes},
      {"pool_parallel_for_offered", [] { return pool_parallel_for(fg::offload::always); }},
  };
  for (const row& each : kPaths) {
    if (each.name == path) {
      return each.run() ? 0 : 1;
    }
  }
  std::fprintf(stderr, "counted_paths: there is no path '%s'\n", path.data());
  return 2;
}
