// The hot paths, one function each: hot_paths.s is clang's output for them, which test_hot_paths.py
// checks. Compiled without exceptions, whose landing pads would be in between.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/queue/private_deque.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/task/pool_task.hpp"

extern "C" {

void work(long* cell);
long left(long n);
long right(long n);

// ---- relic ----

void relic_submit(fg::relic& relic, long* cell) {
  relic.submit([cell] { work(cell); });
}

// ---- the pool's default policy ----

bool deque_push(fg::detail::private_deque& deque, fg::pool_task& task) {
  return deque.push_unless_asked(task);
}

bool deque_pop(fg::detail::private_deque& deque, const fg::pool_task& task) {
  return deque.pop_unless_asked(task);
}

// Within `run`: two branches that are not stolen.
long pool_fork_join(long n) {
  const auto [low, high] = fg::fork_join([n] { return left(n); }, [n] { return right(n); });
  return low + high;
}
}
