// Compiled once for each part, with its name as PART; RUNNER is the part that gets its relic and
// its pool, to run tasks there. What runs here is given to the library as plain functions, never as
// closures of this file: so all parts call the same library functions.
// SPDX-License-Identifier: Apache-2.0
#include "unit/settings/part.hpp"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "finegrain/finegrain.hpp"

namespace fg::test {

namespace RUNNER {
// NOLINTNEXTLINE(misc-use-internal-linkage): the other part's
unsigned run_on(relic& assistant, pool& workers, unsigned of_each);
}  // namespace RUNNER

namespace PART {

namespace {

std::atomic<unsigned> ran{0};

void count() { ++ran; }
void count_one(void* /*argument*/) { count(); }
void count_two() { fork_join(&count, &count); }
void count_in_group() {
  task_group group;
  group.spawn(&count);
  group.spawn(&count);
  group.wait();
}

unsigned run_tasks(unsigned of_each) {
  relic assistant;
  pool workers{{.workers = 2}};
  return RUNNER::run_on(assistant, workers, of_each);
}

void misuse_a_relic() {
  relic assistant;
  std::thread{[&] { assistant.sleep_hint(); }}.join();
}

void claim_cpu(int cpu, void (*meanwhile)()) {
  const detail::pool_cpu_claim claim =
      detail::cpu_registry::of_process().claim_for_pool([&](const detail::claimed_cpus&) {
        return std::vector{detail::pool_cpu{.cpu = cpu, .is_tied = true}};
      });
  meanwhile();
}

std::vector<int> cpus_of_pools() { return detail::cpu_registry::of_process().cpus_of_pools(); }

#if FINEGRAIN_HAS_EXCEPTIONS

void throw_one() { throw 1; }
void throw_one_of(void* /*argument*/) { throw_one(); }
void throw_in_second_branch() { fork_join(&count, &throw_one); }
void throw_in_first_branch() { fork_join(&throw_one, &count); }
void throw_in_group() {
  task_group group;
  group.spawn(&throw_one);
  group.wait();
}
void throw_in_loop(std::size_t /*index*/) { throw_one(); }

template <class Run>
void look_for_exception(part::count& all, Run run) {
  ++all.of;
  try {
    run();
  } catch (int) {
    ++all.caught;
  }
}

part::count catch_exceptions() {
  part::count all{};
  relic assistant;
  pool workers{{.workers = 2}};
  look_for_exception(all, [&] {
    assistant.submit(&throw_one_of, nullptr);
    assistant.wait();
  });
  for (void (*const each)() :
       {&throw_one, &throw_in_second_branch, &throw_in_first_branch, &throw_in_group}) {
    look_for_exception(all, [&] { workers.run(each); });
  }
  look_for_exception(all, [&] { parallel_for(workers, std::size_t{0}, 10, &throw_in_loop); });
  return all;
}

#endif

}  // namespace

// NOLINTNEXTLINE(misc-use-internal-linkage): the other part calls it
unsigned run_on(relic& assistant, pool& workers, unsigned of_each) {
  ran = 0;
  for (unsigned task = 0; task < of_each; task += 4) {
    for (int i = 0; i != 4; ++i) {
      assistant.submit(&count_one, nullptr);
    }
    workers.run(&count_two);
    workers.run(&count_in_group);
  }
  assistant.wait();
  return ran;
}

extern const part shown;
const part shown{
    .has_exceptions = FINEGRAIN_HAS_EXCEPTIONS != 0,
    .has_checks = FINEGRAIN_DEBUG_CHECKS != 0,
#if FINEGRAIN_HAS_EXCEPTIONS
    .catch_exceptions = &catch_exceptions,
#else
    .catch_exceptions = nullptr,
#endif
    .run_tasks = &run_tasks,
    .misuse_a_relic = &misuse_a_relic,
    .claim_cpu = &claim_cpu,
    .cpus_of_pools = &cpus_of_pools,
};

}  // namespace PART

}  // namespace fg::test
