// Each part of the library once, so that its templates are compiled and its calls run: by every
// compiler and dialect that test_headers.py names, also without exceptions and without run-time
// types. With an argument: a pool with the policy of that name.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "finegrain/algorithm.hpp"
#include "finegrain/finegrain.hpp"

namespace {

constexpr long kNumbers = 1000;
constexpr long kSum = kNumbers * (kNumbers + 1) / 2;

int failures = 0;

void expect_sum(const char* what, long sum) {
  if (sum != kSum) {
    std::printf("%s: %ld\n", what, sum);
    ++failures;
  }
}

template <class Wait>
void use_relic(const std::vector<long>& numbers) {
  if (!Wait::supported()) {
    return;
  }
  fg::basic_relic<Wait> relic;
  const auto middle = numbers.begin() + kNumbers / 2;
  long left = 0;
  relic.submit([&] { left = std::accumulate(numbers.begin(), middle, 0L); });
  const long right = std::accumulate(middle, numbers.end(), 0L);
  relic.wait();
  expect_sum("submit", left + right);

  for (const fg::offload mode : {fg::offload::adaptive, fg::offload::always, fg::offload::never}) {
    const auto [low, high] = fg::fork_join(
        relic, [&] { return std::accumulate(numbers.begin(), middle, 0L); },
        [&] { return std::accumulate(middle, numbers.end(), 0L); }, mode);
    expect_sum("fork_join", low + high);
  }
  std::vector<long> copy(numbers.size());
  fg::parallel_for(relic, std::size_t{0}, numbers.size(),
                   [&](std::size_t i) { copy[i] = numbers[i]; });
  expect_sum("parallel_for",
             fg::parallel_reduce(
                 relic, std::size_t{0}, copy.size(), 0L, [&](std::size_t i) { return copy[i]; },
                 [](long a, long b) { return a + b; }));
  auto sum = fg::async(relic, [&] { return std::accumulate(numbers.begin(), numbers.end(), 0L); });
  expect_sum("async", sum.get());
  relic.sleep_hint();
  relic.wake_up_hint();
}

long sum_below(const std::vector<long>& numbers, std::size_t first, std::size_t last) {
  if (last - first < 10) {
    long sum = 0;
    for (std::size_t i = first; i != last; ++i) {
      sum += numbers[i];
    }
    return sum;
  }
  const std::size_t middle = first + (last - first) / 2;
  const auto [low, high] = fg::fork_join([&] { return sum_below(numbers, first, middle); },
                                         [&] { return sum_below(numbers, middle, last); });
  return low + high;
}

void use_workers(const std::vector<long>& numbers) {
  expect_sum("nested fork_join", sum_below(numbers, 0, numbers.size()));
  const auto [odd, even] = fg::parallel_invoke([] { return kSum - 500; }, [] { return 500; });
  expect_sum("parallel_invoke", odd + even);

  std::vector<long> parts(4);
  fg::task_group group;
  for (std::size_t part = 0; part != parts.size(); ++part) {
    group.spawn([&numbers, &parts, part] {
      const auto begin = numbers.begin() + static_cast<long>(part) * kNumbers / 4;
      parts[part] = std::accumulate(begin, begin + kNumbers / 4, 0L);
    });
  }
  group.wait();
  expect_sum("task_group", std::accumulate(parts.begin(), parts.end(), 0L));
  expect_sum("isolate", fg::isolate([&] { return sum_below(numbers, 0, numbers.size()); }));

  std::vector<long> sums(numbers.size());
  fg::parallel_for(std::size_t{0}, numbers.size(), [&](std::size_t i) { sums[i] = numbers[i]; });
  fg::parallel_scan(sums.begin(), sums.size(), sums.begin());
  expect_sum("parallel_scan", sums.back());
  fg::parallel_exclusive_scan(numbers.begin(), numbers.size(), sums.begin(), 0L);
  expect_sum("parallel_exclusive_scan", sums.back() + numbers.back());
  fg::parallel_for(sums, [](long& each) { each = 1; });
  const auto itself = [](long each) { return each; };
  expect_sum("elements",
             fg::parallel_reduce(numbers, 0L, itself, [](long a, long b) { return a + b; }) -
                 fg::parallel_reduce(sums.begin(), sums.end(), 0L, itself, std::plus<>{}) +
                 kNumbers);
  expect_sum("parallel_reduce",
             fg::parallel_reduce(
                 std::size_t{0}, numbers.size(), 0L, [&](std::size_t i) { return numbers[i]; },
                 [](long a, long b) { return a + b; }));
}

void use_algorithms(const std::vector<long>& numbers) {
  const auto first = numbers.begin();
  const auto last = numbers.end();
  std::vector<long> out(numbers.size());
  const auto is_positive = [](long each) { return each > 0; };
  fg::transform(fg::par, first, last, out.begin(), [](long each) { return -each; });
  fg::for_each(fg::par, out, [](long& each) { each = -each; });
  fg::transform(fg::par, first, last, out.begin(), out.begin(), std::plus<>{});
  expect_sum("transform", fg::reduce(fg::par, out) / 2);
  fg::exclusive_scan(fg::par, first, last, out.begin(), 0L);
  expect_sum("exclusive_scan", out.back() + kNumbers);
  fg::inclusive_scan(fg::par, first, last, out.begin());
  expect_sum("inclusive_scan", *fg::find_if(fg::par, out, [](long sum) { return sum == kSum; }));
  fg::copy_if(fg::par, first, last, out.begin(), is_positive);
  fg::sort(fg::par, out, std::greater<>{});
  const auto positive = static_cast<long>(fg::count_if(fg::par, out, is_positive));
  expect_sum("count_if", positive * (kNumbers + 1) / 2);
  const std::vector<long> ones(numbers.size(), 1);
  expect_sum("transform_reduce",
             (fg::transform_reduce(fg::par, first, last, ones.begin(), 0L) +
              fg::transform_reduce(fg::par, out, 0L, std::plus<>{}, std::negate<>{}) + 2 * kSum) /
                 2);
}

void use_pool(fg::pool& pool, const std::vector<long>& numbers) {
  pool.run([&] { use_workers(numbers); });
  pool.run([&] { use_algorithms(numbers); });
  std::vector<long> calls(pool.size());
  fg::broadcast(pool, [&](std::size_t id) { calls[id] = 1; });
  if (std::accumulate(calls.begin(), calls.end(), 0L) != static_cast<long>(pool.size())) {
    std::puts("broadcast: not everywhere once");
    ++failures;
  }
  pool.post([] {});
  std::vector<long> posted(3);
  fg::posted_group background{pool, fg::task_priority::background};
  for (long& each : posted) {
    background.spawn([&each] { each = kSum / 3; });
  }
  background.wait();
  expect_sum("posted_group", std::accumulate(posted.begin(), posted.end(), kSum % 3));
  fg::stop_source source;
  const auto is_run = pool.run(source.get_token(), [&] {
    fg::task_group stoppable{source.get_token()};
    stoppable.spawn([&] { source.request_stop(); });
    stoppable.wait();
    fg::parallel_for(0, 9, [](int) { ++failures; }, {.stop = source.get_token()});
    return stoppable.is_cancelled();
  });
  expect_sum("run", is_run.value_or(false) ? kSum : 0);
  auto sum = fg::async(pool, [&] { return std::accumulate(numbers.begin(), numbers.end(), 0L); });
  expect_sum("async", sum.get());
  fg::pool_executor{pool}.execute([] {});
}

void use_hybrid_pool(const std::vector<long>& numbers) {
  fg::hybrid_pool pool;
  pool.run([&] {
    const auto middle = numbers.begin() + kNumbers / 2;
    const auto [low, high] =
        pool.fork_join_fine([&] { return std::accumulate(numbers.begin(), middle, 0L); },
                            [&] { return std::accumulate(middle, numbers.end(), 0L); });
    expect_sum("fork_join_fine", low + high);
  });
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<long> numbers(kNumbers);
  std::iota(numbers.begin(), numbers.end(), 1L);
  if (count > 1) {
    fg::pool pool{{.policy = arguments[1]}};
    use_pool(pool, numbers);
  } else {
    use_relic<fg::spin>(numbers);
    use_relic<fg::spin_pause>(numbers);
    use_relic<fg::spin_then_sleep>(numbers);
#if defined(__x86_64__)
    use_relic<fg::umwait>(numbers);
    use_relic<fg::mwaitx>(numbers);
#endif
    for (const fg::detail::balancing_policy& policy : fg::detail::kBalancingPolicies) {
      fg::pool pool{{.policy = policy.name, .on_thread_start = [](std::size_t) {}}};
      use_pool(pool, numbers);
    }
    use_hybrid_pool(numbers);
  }
  return failures == 0 ? 0 : 1;
}
