// The pool, step by step: docs/guide_pool.md.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <finegrain/algorithm.hpp>
#include <finegrain/finegrain.hpp>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "expect.hpp"

namespace {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = fg::fork_join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return a + b;
}

struct node {
  long value = 1;
  std::vector<node> children{};
};

node tree(int depth) {
  node made;
  for (int child = 0; depth > 0 && child != 3; ++child) {
    made.children.push_back(tree(depth - 1));
  }
  return made;
}

void visit(const node& top, fg::task_group& group, std::atomic<long>& sum) {
  sum.fetch_add(top.value, std::memory_order_relaxed);  // the group's wait orders it
  for (const node& child : top.children) {
    group.spawn([&child, &group, &sum] { visit(child, group, sum); });
  }
}

long sum_of(const node& root) {
  std::atomic<long> sum{0};
  fg::task_group group;
  visit(root, group, sum);
  group.wait();
  return sum.load();
}

void loops(const std::vector<double>& x) {
  std::vector<double> halves(x.size());
  fg::parallel_for(std::size_t{0}, x.size(), [&](std::size_t i) { halves[i] = x[i] / 2; });
  const double sum = fg::parallel_reduce(
      std::size_t{0}, x.size(), 0.0, [&](std::size_t i) { return halves[i]; }, std::plus<>{});
  fg::parallel_scan(halves.begin(), halves.size(), halves.begin());  // sums up to each
  expect("loops", sum == halves.back());
}

void dealt_out(std::vector<long>& rows) {
  const auto work = [&](std::size_t row) { rows[row] = fib(static_cast<int>(row % 8)); };
  fg::parallel_for(std::size_t{0}, rows.size(), work, {.how = fg::partition::fixed});
  fg::parallel_for(std::size_t{0}, rows.size(), work, {.how = fg::partition::dynamic, .grain = 16});
}

void standard_algorithms(fg::pool& pool, std::vector<int>& values) {
  fg::sort(fg::par.on(pool), values.begin(), values.end());
  const long sum = pool.run([&] {
    fg::for_each(fg::par, values.begin(), values.end(), [](int& each) { each *= 2; });
    return fg::reduce(fg::par, values.begin(), values.end(), 0L);
  });
  expect("algorithms", values.front() == 0 && sum == 99'990'000);
}

bool holds(const std::vector<int>& values, int wanted) {
  std::atomic<bool> found{false};
  fg::task_group group;
  for (std::size_t begin = 0; begin < values.size(); begin += 100) {
    group.spawn([&, begin] {
      for (std::size_t i = begin; i != begin + 100; ++i) {
        if (values[i] == wanted) {
          found.store(true, std::memory_order_relaxed);
          group.cancel();  // what has not begun never does
        }
      }
    });
  }
  group.wait();
  return found.load(std::memory_order_relaxed);
}

void exceptions(fg::pool& pool) {
  try {
    pool.run([] {
      fg::task_group group;
      group.spawn([] { throw std::runtime_error{"no such row"}; });
      group.wait();
    });
    expect("exceptions", false);
  } catch (const std::runtime_error& error) {
    expect("exceptions", std::string{error.what()} == "no such row");
  }
}

void from_elsewhere(fg::pool& pool) {
  std::vector<std::size_t> per_worker(pool.size());
  fg::broadcast(pool, [&](std::size_t id) { per_worker[id] = 1; });
  expect("broadcast", std::reduce(per_worker.begin(), per_worker.end()) == pool.size());

  auto later = fg::async(pool, [] { return fib(20); });  // any thread; runs on some worker
  expect("async", later.get() == 6765);
}

}  // namespace

int main() {
  fg::pool pool;
  std::printf("%zu workers\n", pool.size());
  const long found = pool.run([] { return fib(25); });
  expect("fib", found == 75025);

  const node root = tree(6);
  expect("a tree", pool.run([&] { return sum_of(root); }) == 1093);

  pool.run([] { loops(std::vector<double>(10'000, 2.0)); });
  std::vector<long> rows(1000);
  pool.run([&] { dealt_out(rows); });
  expect("rows", rows[7] == 13 && rows[999] == 13);

  std::vector<int> values(10'000);
  std::iota(values.begin(), values.end(), 0);
  expect("cancel", pool.run([&] { return holds(values, 4321); }));
  standard_algorithms(pool, values);
  exceptions(pool);
  from_elsewhere(pool);

  fg::pool stealing{{.workers = 2, .policy = "chase_lev"}};
  expect("policy", stealing.run([] { return fib(20); }) == 6765);
  return is_right ? 0 : 1;
}
