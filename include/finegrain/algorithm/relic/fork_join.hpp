// Two branches, one of them on the assistant if that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "finegrain/controller/call_site.hpp"
#include "finegrain/controller/offload.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/relic/relic_like.hpp"
#include "finegrain/task/branch.hpp"
#include "finegrain/task/carried.hpp"
#include "finegrain/task/task_record.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Hands `g` to the assistant. Requires: it outlives the returned object.
template <class Relic, class G>
auto fork_branch(Relic& relic, G& g) {
  constexpr std::size_t kBeside = kFitsInRecord<call_result_t<G>> ? 0 : sizeof(void*);
  using branch = carried<G, kIsCarriedAsCopy<G, kBeside>>;
  return relic.fork([held = branch{g}] {
    decltype(auto) callee = held.get();
    return callee();
  });
}

/// Runs `f` here. Where it waits it runs no tasks: it would find `g` on top of itself.
template <class Relic, class F>
auto result_here(Relic& relic, F&& f) {
  [[maybe_unused]] const auto only_looks = relic_access::without_help(relic);
  return detail::result_of(std::forward<F>(f));
}

/// Runs `g` on the assistant and `f` here. If `f` throws, the end of `forked` waits for `g`.
template <class Relic, class F, class G>
branch_values<F, G> run_on_both_threads(Relic& relic, F&& f, G&& g) {
  auto forked = fork_branch(relic, g);
  auto f_value = result_here(relic, std::forward<F>(f));
  relic_access::long_wait(relic).ticks = 0;  // it was the program's own, also within `f`
  return {std::move(f_value), detail::result_of([&forked] { return forked.get(); })};
}

template <class F, class G>
branch_values<F, G> run_timed_here(F&& f, G&& g, call_site& site, std::uint64_t round_trip) {
  const std::uint64_t start = ticks();
  std::uint64_t middle = start;
  const auto f_timed = [&] {
    struct mark {
      std::uint64_t& at;
      ~mark() { at = ticks(); }
    } const end{middle};
    return detail::result_of(std::forward<F>(f));
  };
  auto values = detail::run_both_here(f_timed, std::forward<G>(g));
  const std::uint64_t end = ticks();
  site.timed_serial(middle - start, end - middle, end, round_trip);
  return values;
}

template <class Relic, class F, class G>
branch_values<F, G> run_on_both(Relic& relic, F&& f, G&& g, call_site& site, bool timed) {
  const std::uint64_t start = timed ? ticks() : 0;
  auto values = run_on_both_threads(relic, std::forward<F>(f), std::forward<G>(g));
  const long_wait& waited = relic_access::long_wait(relic);
  if (timed || waited.ticks != 0) [[unlikely]] {
    const std::uint64_t end = ticks();
    if (!site.stalled(waited, relic_access::period_ticks(relic), end) && timed) {
      site.timed_hand_over(end - start, end);
    }
  }
  return values;
}

// Not timed: it may include a wake-up.
template <class Relic, class F, class G>
branch_values<F, G> run_awakened(Relic& relic, F&& f, G&& g) {
  relic_access::wake_if_asleep(relic);
  return run_on_both_threads(relic, std::forward<F>(f), std::forward<G>(g));
}

// A call at which the site looks at the clock. Rare, so kept out of line.
template <class Relic, class F, class G>
FINEGRAIN_NOINLINE branch_values<F, G> run_measured(Relic& relic, call_site& site, F&& f, G&& g) {
  if (!relic_access::can_share(relic)) {
    if (!relic.called_by_main() || relic.inline_mode()) {
      site.rest();
    }  // else within a task that the main thread runs
    return detail::run_both_here(std::forward<F>(f), std::forward<G>(g));
  }
  if (site.is_first_call() && (relic_access::is_ready(relic) || relic.is_asleep())) {
    return run_awakened(relic, std::forward<F>(f), std::forward<G>(g));
  }
  if (!site.hands_over()) {
    relic_access::count_inlined(relic, site.calls_since_look());
    return site.look(ticks())
               ? run_timed_here(std::forward<F>(f), std::forward<G>(g), site,
                                site.wants_round_trip() ? relic_access::round_trip_ticks(relic) : 0)
               : detail::run_both_here(std::forward<F>(f), std::forward<G>(g));
  }
  if (relic_access::is_ready(relic)) {
    return run_on_both(relic, std::forward<F>(f), std::forward<G>(g), site, site.look(ticks()));
  }
  if (relic.is_asleep()) {
    if (site.outweighs_a_wake_up()) {
      return run_awakened(relic, std::forward<F>(f), std::forward<G>(g));
    }
    if (site.is_worth_a_wake_up()) {
      relic_access::wake_if_asleep(relic);
    } else if (site.pays_for_telling()) {
      relic_access::miss_sleeper(relic);
    }
  }
  relic_access::count_inlined(relic, 1);
  return detail::run_both_here(std::forward<F>(f), std::forward<G>(g));
}

template <class Relic, class F, class G>
branch_values<F, G> run_where_it_pays(Relic& relic, call_site& site, F&& f, G&& g) {
  if (!site.is_quiet()) [[unlikely]] {
    return run_measured(relic, site, std::forward<F>(f), std::forward<G>(g));
  }
  if (site.hands_over() && relic.called_by_main()) {
    if (relic_access::is_ready(relic)) {
      return run_on_both(relic, std::forward<F>(f), std::forward<G>(g), site, false);
    }
    relic_access::count_inlined(relic, 1);
  }
  return detail::run_both_here(std::forward<F>(f), std::forward<G>(g));
}

template <class F, class G>
call_site& site_of() noexcept {
  constinit static thread_local call_site state;
  return state;
}

}  // namespace detail

/// Runs `f` on the calling thread and `g` in parallel on the assistant, and returns when both have
/// finished: a pair of their results (std::monostate for one that returns void), nothing if both
/// return void. A `g` that is trivially copyable and whose only call operator is const may be
/// called as a copy: what it writes to a `mutable` member of its own may be lost. So may a lambda,
/// or another object without a default constructor, that is passed as an rvalue, is trivially
/// copyable, has up to 48 bytes, and returns nothing or a number: the copy ends with its call.
///
/// Requires: the relic is not being destroyed. On the relic's main thread the branches may run
/// concurrently; on any other thread, including the assistant, `f` and then `g` run there. `f` may
/// call fork_join on the same relic. What was written before is visible to both branches; what they
/// wrote is visible to the caller afterwards.
///
/// Joins only `g`. Tasks submitted before have then finished too, because they run in order, but
/// their exceptions are kept for `wait`. Both branches always run to their end. If both throw,
/// `f`'s exception is passed on.
///
/// `mode`: `offload::adaptive` hands `g` over if that was measured to be faster than running both
/// here (see controller/call_site.hpp); the measurements belong to the types of `f` and `g`, so for
/// lambdas to the place in the source, and to the calling thread. Of the first call nothing is known:
/// it is handed over. It also runs both here while the assistant sleeps or is busy, and wakes it
/// only for calls that are the first, gain enough, or come in quick succession. `always` hands over
/// each time, and wakes the assistant if necessary.
///
/// Constant time besides the branches, no allocation.
template <relic_like Relic, class F, class G>
auto fork_join(Relic& runner, call_site& site, F&& f, G&& g, offload mode = offload::adaptive) {
  const auto run = [&] {
    if (mode == offload::adaptive) {
      return detail::run_where_it_pays(runner, site, std::forward<F>(f), std::forward<G>(g));
    }
    if (mode == offload::always && detail::relic_access::can_share(runner)) {
      detail::relic_access::wake_if_asleep(runner);  // submit might leave it asleep
      return detail::run_on_both_threads(runner, std::forward<F>(f), std::forward<G>(g));
    }
    if (runner.called_by_main()) {
      detail::relic_access::count_inlined(runner, 1);
    }
    return detail::run_both_here(std::forward<F>(f), std::forward<G>(g));
  };
  return detail::without_monostates<F, G>(run());
}

/// The same with the site that belongs to the types of `f` and `g`. A function pointer or a
/// std::function does not identify the place where it is called: it needs an explicit
/// `fg::call_site`, preferably `static thread_local`.
template <relic_like Relic, class F, class G>
auto fork_join(Relic& runner, F&& f, G&& g, offload mode = offload::adaptive) {
  static_assert(
      !detail::is_type_erased<std::decay_t<F>> && !detail::is_type_erased<std::decay_t<G>>,
      "finegrain: type-erased branches share one type; name the call site with an fg::call_site");
  return fork_join(runner, detail::site_of<std::decay_t<F>, std::decay_t<G>>(), std::forward<F>(f),
                   std::forward<G>(g), mode);
}

}  // namespace fg::inline FINEGRAIN_ABI
