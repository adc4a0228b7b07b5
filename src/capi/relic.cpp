// fg_relic_...
// SPDX-License-Identifier: Apache-2.0
#include "capi/relic.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

#include "capi/calls.hpp"
#include "capi/options.hpp"
#include "capi/results.hpp"
#include "capi/site.hpp"
#include "capi/status.hpp"
#include "finegrain/algorithm/relic/fork_join.hpp"
#include "finegrain/algorithm/relic/parallel_for.hpp"
#include "finegrain/finegrain.h"
#include "finegrain/host/placement.hpp"

namespace {

using fg::capi::call;
using fg::capi::fail;
using fg::capi::guarded;
using fg::capi::guarded_tasks;
using fg::capi::null_pointer;
using fg::capi::value_call;
using fg::capi::value_destination;

fg::relic_options options_of(const fg_relic_options* given) {
  const fg_relic_options options =
      fg::capi::completed(given, fg_relic_options FG_RELIC_OPTIONS_INIT);
  if (options.assistant_cpu < -1) {
    throw std::invalid_argument{"assistant_cpu is neither a CPU nor -1"};
  }
  if (const double share = options.anticipation_share;
      std::isnan(share) || share < 0 || share > 1) {
    throw std::invalid_argument{"anticipation_share is not between 0 and 1"};
  }
  const auto budget = [](std::int64_t time_us) {
    return std::chrono::microseconds{fg::capi::checked_us(time_us)};
  };
  return {.assistant_cpu =
              options.assistant_cpu < 0 ? std::nullopt : std::optional{options.assistant_cpu},
          .spin_budget = budget(options.spin_budget_us),
          .hinted_budget = budget(options.hinted_budget_us),
          .anticipation_share = options.anticipation_share,
          .main_helps = options.main_helps != 0,
          .scheduling = fg::capi::scheduling_of(options.scheduling, options.priority),
          .thread_name = fg::capi::text(options.thread_name, "fg-relic")};
}

}  // namespace

fg_status fg_relic_create(const fg_relic_options* options, fg_relic** relic) noexcept {
  if (relic == nullptr) {
    return null_pointer("relic");
  }
  return guarded([&] { *relic = std::make_unique<fg_relic>(options_of(options)).release(); });
}

void fg_relic_destroy(fg_relic* relic) noexcept { delete relic; }

fg_status fg_relic_submit(fg_relic* relic, fg_routine routine, void* arguments) noexcept {
  if (relic == nullptr || routine == nullptr) [[unlikely]] {
    return null_pointer(relic == nullptr ? "relic" : "routine");
  }
  relic->relic.submit(call{routine, arguments});
  return FG_OK;
}

fg_status fg_relic_try_submit(fg_relic* relic, fg_routine routine, void* arguments) noexcept {
  if (relic == nullptr || routine == nullptr) [[unlikely]] {
    return null_pointer(relic == nullptr ? "relic" : "routine");
  }
  return relic->relic.try_submit(call{routine, arguments})
             ? FG_OK
             : fail(FG_QUEUE_FULL, "128 tasks are unfinished");
}

fg_status fg_relic_submit_values(fg_relic* relic, fg_value_routine routine, const void* arguments,
                                 std::size_t arguments_size, void* result,
                                 std::size_t result_size) noexcept {
  if (relic == nullptr || routine == nullptr) [[unlikely]] {
    return null_pointer(relic == nullptr ? "relic" : "routine");
  }
  if (arguments == nullptr && arguments_size != 0) [[unlikely]] {
    return null_pointer("arguments");
  }
  if (result == nullptr && result_size != 0) [[unlikely]] {
    return null_pointer("result");
  }
  if (arguments_size > FG_VALUE_BYTES || result_size > FG_VALUE_BYTES) [[unlikely]] {
    return fail(FG_INVALID_ARGUMENT, "a task gets and gives at most 32 bytes by value");
  }
  value_call task{.routine = routine, .result_size = result_size, .arguments = {}};
  if (arguments_size != 0) {
    std::memcpy(task.arguments, arguments, arguments_size);
  }
  static value_destination nowhere;  // for no bytes
  relic->relic.submit_into(result == nullptr ? nowhere : *static_cast<value_destination*>(result),
                           task);
  return FG_OK;
}

fg_status fg_relic_wait(fg_relic* relic) noexcept {
  if (relic == nullptr) [[unlikely]] {
    return null_pointer("relic");
  }
  return guarded_tasks([&] { relic->relic.wait(); });
}

fg_status fg_relic_wake_up_hint(fg_relic* relic) noexcept {
  if (relic == nullptr) {
    return null_pointer("relic");
  }
  relic->relic.wake_up_hint();
  return FG_OK;
}

fg_status fg_relic_sleep_hint(fg_relic* relic) noexcept {
  if (relic == nullptr) {
    return null_pointer("relic");
  }
  relic->relic.sleep_hint();
  return FG_OK;
}

fg_status fg_relic_fork_join(fg_relic* relic, fg_site* site, fg_routine f, void* f_arguments,
                             fg_routine g, void* g_arguments) noexcept {
  if (relic == nullptr || f == nullptr || g == nullptr) [[unlikely]] {
    return null_pointer(relic == nullptr ? "relic" : "a branch");
  }
  return fg::capi::with_site<fg::call_site>(site, [&](fg::call_site& known, fg::offload mode) {
    fg::fork_join(relic->relic, known, call{f, f_arguments}, call{g, g_arguments}, mode);
  });
}

fg_status fg_relic_parallel_for(fg_relic* relic, fg_site* site, std::size_t first, std::size_t last,
                                fg_loop_body body, void* arguments, std::size_t grain) noexcept {
  if (relic == nullptr || body == nullptr) [[unlikely]] {
    return null_pointer(relic == nullptr ? "relic" : "body");
  }
  return fg::capi::with_site<fg::loop_site>(site, [&](fg::loop_site& known, fg::offload mode) {
    fg::parallel_for(relic->relic, known, first, last, fg::capi::loop_call{body, arguments},
                     {.grain = grain, .mode = mode});
  });
}

const char* fg_relic_scheduling_refusal(const fg_relic* relic) noexcept {
  return relic == nullptr ? nullptr : relic->relic.scheduling_refusal().c_str();
}

const char* fg_relic_inline_reason(const fg_relic* relic) noexcept {
  return relic == nullptr ? nullptr : relic->relic.inline_reason().c_str();
}

fg_status fg_relic_get_placement(const fg_relic* relic, fg_placement* placement) noexcept {
  if (relic == nullptr || placement == nullptr) {
    return null_pointer(relic == nullptr ? "relic" : "placement");
  }
  const fg::placement& where = relic->relic.placement();
  return fg::capi::give(placement, {.size = 0,
                                    .main_cpu = where.main_cpu,
                                    .assistant_cpu = where.assistant_cpu.value_or(-1),
                                    .nearness = fg::to_string(where.kind),
                                    .reason = where.reason.c_str()});
}

fg_status fg_relic_get_counters(const fg_relic* relic, fg_relic_counters* counters) noexcept {
  if (relic == nullptr || counters == nullptr) {
    return null_pointer(relic == nullptr ? "relic" : "counters");
  }
  const fg::relic_counters now = relic->relic.counters();
  return fg::capi::give(counters, {.size = 0,
                                   .tasks = now.tasks,
                                   .tasks_inlined = now.tasks_inlined,
                                   .worked_ns = now.worked_ns,
                                   .spun_ns = now.spun_ns,
                                   .sleeps = now.sleeps,
                                   .wake_ups = now.wake_ups,
                                   .early_wake_ups = now.early_wake_ups,
                                   .period_ns = now.period_ns});
}
