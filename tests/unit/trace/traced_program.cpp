// traced_program CASE: writes the trace that trace_test.cpp checks. Prints the counters.
// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "finegrain/finegrain.hpp"
#include "finegrain/graph.hpp"
#include "support/sanitizer.hpp"

namespace {

constexpr int kTasks = 100;

// So that all its tasks are in its line of the trace.
fg::relic_options assistant_runs_all() { return {.main_helps = false}; }

void use_relic() {
  fg::relic relic{assistant_runs_all()};
  for (int i = 0; i < kTasks; ++i) {
    relic.submit([] { const fg::trace_span span{"a \"named\"\n\\ part"}; });
    relic.wait();
  }
}

long fib(long n) {
  if (n < 2) {
    return n;
  }
  const auto [low, high] = fg::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return low + high;
}

void use_pool(const char* policy) {
  fg::pool pool{{.workers = 3, .policy = policy}};
  fg::atomic<int> posted{kTasks};
  for (int i = 0; i < kTasks; ++i) {
    pool.post([&] { posted.fetch_sub(1); });
  }
  const long result = pool.run([] { return fib(20); });
  fg::atomic<int> left{kTasks};
  while (!pool.run([&] { return left.fetch_sub(1) == 1; })) {
  }
  while (posted.load() != 0) {  // before the counters are read
    fg::pause();
  }
  unsigned long steals = 0;
  for (std::size_t id = 0; id != pool.size(); ++id) {
    steals += static_cast<unsigned long>(pool.counters(id).steals);
  }
  std::printf("%ld %lu\n", result, steals);
}

// A diamond within a graph, with a choice that is skipped in every second run.
void use_graph() {
  bool is_chosen = false;
  fg::graph diamond;
  const auto first = diamond.add("first", [] {});
  const auto last = diamond.add("last", [] {});
  const auto left = diamond.add("left", [] {});
  const auto right = diamond.add("right", [] {});
  first.precede(left, right);
  last.succeed(left, right);
  fg::graph seldom;
  seldom.add("node", [] {});
  fg::graph graph;
  graph.add_graph("diamond", diamond)
      .precede(graph.add_choice("choice", [&] { return is_chosen = !is_chosen; }, seldom));
  fg::relic relic{assistant_runs_all()};
  for (int i = 0; i < kTasks; ++i) {
    graph.run(relic);
  }
}

void exit_in_task() {
  static fg::relic relic{assistant_runs_all()};
  relic.submit([] {});
  relic.wait();
  static fg::atomic<bool> submitted{false};  // exit() destroys the relic
  relic.submit([] {
    submitted.wait(false);
    std::exit(0);
  });
  submitted.store(true);
  submitted.notify_one();
  for (;;) {
    pause();
  }
}

void fork_while_traced() {
  {
    // A child forgets which CPUs its parent's relics use, including the memory
    // (host/cpu_registry.hpp).
    [[maybe_unused]] const fg::test::allowed_leaks books;
    use_relic();
  }
  const pid_t child = fork();
  if (child == 0) {
    use_relic();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("%d\n", status);
}

void use_statics() {
  static fg::pool pool;
  static fg::relic relic{assistant_runs_all()};
  relic.submit([] {});
  relic.wait();
  std::printf("%ld\n", pool.run([] { return fib(15); }));
}

void write_and_die() {
  use_relic();
  fg::write_trace();
  use_relic();
  fg::write_trace();
  std::abort();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "relic") {
    use_relic();
  } else if (what == "pool") {
    use_pool(arguments[2]);
  } else if (what == "graph") {
    use_graph();
  } else if (what == "exit") {
    exit_in_task();
  } else if (what == "fork") {
    fork_while_traced();
  } else if (what == "statics") {
    use_statics();
  } else if (what == "abort") {
    write_and_die();
  } else if (what == "twice") {
    use_relic();
    return std::system((std::string{arguments[0]} + " relic").c_str());
  } else {
    return 2;
  }
  return 0;
}
