// Tasks on small stacks: a program that runs them, or crashes.
//
//     small_stacks KIB main|thread|fiber POLICY
//
// restarts itself with stacks of KIB: the main thread's, and those of all others, as the system
// does by default. Then it runs the tasks on the main thread, on another one, or on a stack of KIB
// to which the main thread switches, with the workers of a pool. Prints that all was right.
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/execution/pool_coroutines.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/task_group.hpp"
#include "support/forked_fib.hpp"

namespace {

// What one level of the chains below may take on the stack, without optimization.
constexpr int kBytesOfLevel = 1024;

// While a task waits, others take long: so threads that wait help.
int grouped_fib(int n) {
  if (n < 2) {
    return n;
  }
  int one = 0;
  int two = 0;
  fg::task_group group;
  group.spawn([&one, n] { one = grouped_fib(n - 1); });
  group.spawn([&two, n] { two = grouped_fib(n - 2); });
  group.wait();
  return one + two;
}

int async_fib(fg::pool& pool, int n) {
  if (n < 2) {
    return n;
  }
  auto one = fg::async(pool, [&pool, n] { return async_fib(pool, n - 1); });
  const int two = async_fib(pool, n - 2);
  return one.get() + two;
}

// One long branch, with a small tree at each of its levels.
std::int64_t forked_chain(int levels) {
  if (levels == 0) {
    return 0;
  }
  const auto [rest, side] = fg::fork_join([levels] { return forked_chain(levels - 1); },
                                          [] { return fg::test::forked_fib(8); });
  return rest + side;
}

// The same with the roles swapped, so that other threads take the long branch.
int grouped_chain(int levels) {
  if (levels == 0) {
    return 0;
  }
  int rest = 0;
  fg::task_group group;
  group.spawn([&rest, levels] { rest = grouped_chain(levels - 1); });
  const int side = grouped_fib(8);
  group.wait();
  return rest + side;
}

int async_chain(fg::pool& pool, int levels) {
  if (levels == 0) {
    return 0;
  }
  auto rest = fg::async(pool, [&pool, levels] { return async_chain(pool, levels - 1); });
  const int side = async_fib(pool, 6);
  return rest.get() + side;
}

struct request {
  int kib;
  std::string_view where;
  std::string policy;
};

struct kind_of_tasks {
  const char* name;
  int rounds;
  bool (*is_right)(fg::pool& pool, int levels);
};

constexpr kind_of_tasks kKinds[] = {
    {"forks", 3, [](fg::pool&, int) { return fg::test::forked_fib(22) == 17711; }},
    {"groups", 3, [](fg::pool&, int) { return grouped_fib(20) == 6765; }},
    {"asyncs", 3, [](fg::pool& pool, int) { return async_fib(pool, 20) == 6765; }},
    {"a chain of forks", 100,
     [](fg::pool&, int levels) { return forked_chain(levels) == std::int64_t{levels} * 21; }},
    {"a chain of groups", 100,
     [](fg::pool&, int levels) { return grouped_chain(levels) == std::int64_t{levels} * 21; }},
    {"a chain of asyncs", 100,
     [](fg::pool& pool, int levels) { return async_chain(pool, levels) == levels * 8; }},
};

bool all_is_right(const request& asked) {
  fg::pool_options options;
  options.workers = 4;
  options.policy = asked.policy;
  options.placement = fg::worker_placement::untied;
  fg::pool pool{options};
  // A quarter of the stack, if it ran serially.
  const int levels = asked.kib * 1024 / 4 / kBytesOfLevel;
  for (const kind_of_tasks& kind : kKinds) {
    std::fprintf(stderr, "%s\n", kind.name);  // the last one is the one that crashes
    for (int round = 0; round < kind.rounds; ++round) {
      if (!pool.run([&] { return kind.is_right(pool, levels); })) {
        return false;
      }
    }
  }
  return true;
}

// A thread without a size of its own gets the limit at the start of the program.
bool is_right_on_new_thread(const request& asked) {
  bool is_right = false;
  std::thread{[&] { is_right = all_is_right(asked); }}.join();
  return is_right;
}

const request* asked_on_fiber;
bool is_right_on_fiber;

// On a stack of the program's own, with an inaccessible page below it.
bool is_right_on_new_fiber(const request& asked) {
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = static_cast<std::size_t>(asked.kib) * 1024;
  void* const memory = mmap(nullptr, kPage + bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, kPage, PROT_NONE) != 0) {
    return false;
  }
  ucontext_t here;
  ucontext_t fiber;
  getcontext(&fiber);
  fiber.uc_stack.ss_sp = static_cast<char*>(memory) + kPage;
  fiber.uc_stack.ss_size = bytes;
  fiber.uc_link = &here;
  asked_on_fiber = &asked;
  makecontext(&fiber, [] { is_right_on_fiber = all_is_right(*asked_on_fiber); }, 0);
  swapcontext(&here, &fiber);
  munmap(memory, kPage + bytes);
  return is_right_on_fiber;
}

bool is_right_where(const request& asked) {
  if (asked.where == "fiber") {
    return is_right_on_new_fiber(asked);
  }
  return asked.where == "main" ? all_is_right(asked) : is_right_on_new_thread(asked);
}

int start_anew(char** argv, int kib) {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  limit.rlim_cur = static_cast<rlim_t>(kib) * 1024;
  setenv("FINEGRAIN_TEST_SMALL_STACKS", "1", 1);
  if (setrlimit(RLIMIT_STACK, &limit) == 0) {
    execv("/proc/self/exe", argv);
  }
  std::perror("small_stacks");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: small_stacks KIB main|thread|fiber POLICY\n", stderr);
    return 2;
  }
  const request asked{.kib = std::atoi(argv[1]), .where = argv[2], .policy = argv[3]};
  if (std::getenv("FINEGRAIN_TEST_SMALL_STACKS") == nullptr) {
    return start_anew(argv, asked.kib);
  }
  if (!is_right_where(asked)) {
    std::puts("wrong");
    return 1;
  }
  std::puts("all right");
  return 0;
}
