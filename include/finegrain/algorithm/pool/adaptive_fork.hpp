// Runs two branches on one worker of a pool, or offers one to others if that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/pool/steal_cost.hpp"
#include "finegrain/algorithm/timed_branches.hpp"
#include "finegrain/controller/call_site.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The controller of one place that forks, and what keeps it from recursions.
///
/// It is asked only where a branch would be offered at once, because an idle worker has asked and
/// there is no older task here: below a branch that others can take, forks cost a push and a pop. A
/// recursion meets that at its root, and again whenever all older branches are stolen. Its forks are
/// of all lengths, and nearly all are short: what they took says nothing about the next one. So once
/// more than `kMostNested` of a place's calls lay within one that was kept, its calls are always
/// offered.
class fork_site {
 public:
  /// A call is kept while this object lives.
  class kept {
   public:
    explicit kept(fork_site& site) noexcept : site_{site} { site.is_kept_ = true; }
    ~kept() {
      site_.is_kept_ = false;
      site_.nested_ = 0;
    }
    kept(const kept&) = delete;
    kept& operator=(const kept&) = delete;

   private:
    fork_site& site_;
  };

  [[nodiscard]] bool is_within_kept() const noexcept { return is_kept_; }
  /// Within a kept call: whether this one is kept, too.
  [[nodiscard]] bool keeps_nested() noexcept {
    is_recursion_ = ++nested_ > kMostNested;
    return !is_recursion_;
  }
  [[nodiscard]] bool is_recursion() const noexcept { return is_recursion_; }

  [[nodiscard]] call_site& calls() noexcept { return calls_; }

 private:
  // What it costs to find out is that so many forks are not offered, once: those of fib take 0.2 us,
  // a steal 0.3 (EPYC 9004, KVM). Without an end to it fib(27) took 1.03 times as long on two
  // workers, with ten times the steals.
  static constexpr std::uint32_t kMostNested = 32;

  call_site calls_ = call_site::for_pool();
  std::uint32_t nested_ = 0;
  bool is_kept_ = false;
  bool is_recursion_ = false;
};

template <class... F>
fork_site& fork_site_of() noexcept {
  constinit static thread_local fork_site site;
  return site;
}

template <class F, class G>
branch_values<F, G> offer_timed(worker& self, call_site& calls, forked_branch<G>& forked, F& f,
                                G& g) {
  const std::uint64_t start = ticks();
  auto values = fork_join_long(self, forked, f, g);
  const std::uint64_t end = ticks();
  if (forked.is_done()) {
    calls.timed_hand_over(end - start, end);
  } else {
    calls.timed_untaken(end - start, end);
  }
  return values;
}

// A call at which the site looks at the clock, or that is offered. Rare, or expensive in any case.
template <class F, class G>
[[gnu::noinline]] branch_values<F, G> fork_measured(worker& self, fork_site& site, bool quiet,
                                                    forked_branch<G>& forked, F& f, G& g) {
  call_site& calls = site.calls();
  const bool offers = calls.hands_over();
  const bool wakes = offers && self.any_sleeps_guess();
  if (wakes && !is_worth_waking(self, calls)) {
    const fork_site::kept here{site};
    return run_both_here(f, g);
  }
  const bool timed = !quiet && !wakes && calls.look(ticks());
  if (offers) {
    return timed ? offer_timed(self, calls, forked, f, g) : fork_join_long(self, forked, f, g);
  }
  const std::uint64_t steal = timed && calls.wants_round_trip() ? steal_ticks(self) : 0;
  const fork_site::kept here{site};
  return timed ? run_timed_here(f, g, calls, steal) : run_both_here(f, g);
}

// Another worker has asked for work.
template <class F, class G>
[[gnu::noinline]] branch_values<F, G> fork_asked(worker& self, forked_branch<G>& forked, F& f,
                                                 G& g) {
  fork_site& site = fork_site_of<F, G>();
  if (site.is_recursion() || !self.would_offer_next()) {
    return fork_join_long(self, forked, f, g);
  }
  if (site.is_within_kept()) {
    return site.keeps_nested() ? run_both_here(f, g) : fork_join_long(self, forked, f, g);
  }
  const bool quiet = site.calls().is_quiet();
  if (quiet && !site.calls().hands_over()) [[likely]] {
    const fork_site::kept here{site};
    return run_both_here(f, g);
  }
  return fork_measured(self, site, quiet, forked, f, g);
}

/// Runs `f` here, and `g` on the worker that takes it first, if it is offered.
template <class F, class G>
branch_values<F, G> fork_join_adaptively(worker& self, F& f, G& g) {
  if constexpr (is_type_erased<std::remove_cv_t<F>> || is_type_erased<std::remove_cv_t<G>>) {
    return fork_join_on(self, f, g);
  } else {
    return fork_join_unless_asked(
        self, f, g, [&](forked_branch<G>& forked) { return fork_asked(self, forked, f, g); });
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
