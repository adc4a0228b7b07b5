// fg_pool_...
// SPDX-License-Identifier: Apache-2.0
#include "capi/pool.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>

#include "capi/calls.hpp"
#include "capi/options.hpp"
#include "capi/results.hpp"
#include "capi/site.hpp"
#include "capi/status.hpp"

namespace {

using fg::capi::call;
using fg::capi::fail;
using fg::capi::guarded;
using fg::capi::guarded_tasks;
using fg::capi::null_pointer;

fg::worker_placement placement_of(int placement) {
  switch (placement) {
    case FG_ONE_PER_CORE:
      return fg::worker_placement::one_per_core;
    case FG_EVERY_CPU:
      return fg::worker_placement::every_cpu;
    case FG_UNTIED:
      return fg::worker_placement::untied;
    default:
      throw std::invalid_argument{"no such placement of workers"};
  }
}

std::optional<fg::worker_pinning> pinning_of(int pinning) {
  switch (pinning) {
    case FG_PIN_DEFAULT:
      return std::nullopt;
    case FG_PIN_AUTOMATIC:
      return fg::worker_pinning::automatic;
    case FG_PIN_ALWAYS:
      return fg::worker_pinning::always;
    case FG_PIN_NEVER:
      return fg::worker_pinning::never;
    default:
      throw std::invalid_argument{"no such pinning of workers"};
  }
}

fg_pool_options known_options(const fg_pool_options* given) {
  return fg::capi::completed(given, fg_pool_options FG_POOL_OPTIONS_INIT);
}

fg::pool_options options_of(const fg_pool_options& options) {
  return {.workers = options.workers,
          .policy = fg::capi::text(options.policy, ""),
          .queue_capacity = options.queue_capacity,
          .placement = placement_of(options.placement),
          .pinning = pinning_of(options.pinning),
          .help_stack_bytes = options.help_stack_bytes,
          .wait = fg::capi::text(options.wait, ""),
          .spin_budget = std::chrono::microseconds{fg::capi::checked_us(options.spin_budget_us)},
          .scheduling = fg::capi::scheduling_of(options.scheduling, options.priority),
          .thread_name = fg::capi::text(options.thread_name, "fg-worker")};
}

// Returns the message for the caller, or null if there is no error.
const char* why_no_worker(const fg_pool* pool, std::size_t worker, const void* result) noexcept {
  if (pool == nullptr || result == nullptr) {
    return pool == nullptr ? "pool is a null pointer" : "the result is a null pointer";
  }
  return worker < pool->workers->size() ? nullptr : "there is no such worker";
}

}  // namespace

fg_status fg_pool_create(const fg_pool_options* options, fg_pool** pool) noexcept {
  if (pool == nullptr) {
    return null_pointer("pool");
  }
  return guarded([&] {
    const fg_pool_options known = known_options(options);
    *pool = std::make_unique<fg_pool>(options_of(known), known.assistants != 0).release();
  });
}

void fg_pool_destroy(fg_pool* pool) noexcept { delete pool; }

fg_status fg_pool_run(fg_pool* pool, fg_routine routine, void* arguments) noexcept {
  if (pool == nullptr || routine == nullptr) {
    return null_pointer(pool == nullptr ? "pool" : "routine");
  }
  return guarded_tasks([&] {
    const call task{routine, arguments};
    if (pool->hybrid) {
      pool->hybrid->run(task);
    } else {
      pool->plain->run(task);
    }
  });
}

fg_status fg_pool_post(fg_pool* pool, fg_routine routine, void* arguments) noexcept {
  if (pool == nullptr || routine == nullptr) {
    return null_pointer(pool == nullptr ? "pool" : "routine");
  }
  return guarded([&] { pool->workers->post(call{routine, arguments}); });
}

std::size_t fg_pool_size(const fg_pool* pool) noexcept {
  return pool == nullptr ? 0 : pool->workers->size();
}
std::size_t fg_pool_queue_capacity(const fg_pool* pool) noexcept {
  return pool == nullptr ? 0 : pool->workers->queue_capacity();
}
const char* fg_pool_policy(const fg_pool* pool) noexcept {
  return pool == nullptr ? nullptr : pool->policy.c_str();
}
const char* fg_pool_wait_policy(const fg_pool* pool) noexcept {
  return pool == nullptr ? nullptr : pool->wait_policy.c_str();
}
const char* fg_pool_scheduling_refusal(const fg_pool* pool) noexcept {
  return pool == nullptr ? nullptr : pool->workers->scheduling_refusal().c_str();
}

const char* fg_pool_shortage(const fg_pool* pool) noexcept {
  return pool == nullptr ? nullptr : pool->workers->shortage().c_str();
}

fg_status fg_pool_get_cpu(const fg_pool* pool, std::size_t worker, int* cpu) noexcept {
  if (const char* const why = why_no_worker(pool, worker, cpu)) {
    return fail(FG_INVALID_ARGUMENT, why);
  }
  *cpu = pool->workers->cpus()[worker];
  return FG_OK;
}

fg_status fg_pool_get_counters(const fg_pool* pool, std::size_t worker,
                               fg_worker_counters* counters) noexcept {
  if (const char* const why = why_no_worker(pool, worker, counters)) {
    return fail(FG_INVALID_ARGUMENT, why);
  }
  const fg::worker_counters& done = pool->workers->counters(worker);
  return fg::capi::give(counters, {.size = 0,
                                   .tasks = done.tasks,
                                   .inlined = done.inlined,
                                   .steals = done.steals,
                                   .sleeps = done.sleeps,
                                   .spun_ns = done.spun_ns,
                                   .worked_ns = done.worked_ns});
}

fg_status fg_fork_join_fine(fg_pool* pool, fg_site* site, fg_routine f, void* f_arguments,
                            fg_routine g, void* g_arguments) noexcept {
  if (pool == nullptr || f == nullptr || g == nullptr) [[unlikely]] {
    return null_pointer(pool == nullptr ? "pool" : "a branch");
  }
  const call f_call{f, f_arguments};
  const call g_call{g, g_arguments};
  if (!pool->hybrid) {
    return guarded_tasks([&] { fg::detail::run_both_here(f_call, g_call); });
  }
  return fg::capi::with_site<fg::call_site>(site, [&](fg::call_site& known, fg::offload mode) {
    pool->hybrid->fork_join_fine(known, f_call, g_call, mode);
  });
}
