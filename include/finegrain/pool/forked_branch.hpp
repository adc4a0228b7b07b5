// The branch of a fork_join that another worker may take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "finegrain/controller/short_calls.hpp"
#include "finegrain/controller/type_erased.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/branch.hpp"
#include "finegrain/task/outcome.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Lies on the stack of the worker that forks, as does the branch: a temporary, unless `G` is a
/// reference. Only the routine is written before the push; the outcome exists only if another worker
/// ran the branch.
///
/// States of `routine`: `&run_elsewhere` until the end, then null, stored with release by the worker
/// that ran it and read with acquire in `has_run`. After that store the worker does not touch the
/// branch again: its frame may be gone.
template <class G>
class forked_branch : public pool_task {
 public:
  explicit forked_branch(std::remove_reference_t<G>& branch) noexcept
      : branch_{std::addressof(branch)} {
    // Relaxed: the push that publishes the branch releases it.
    routine.store(&run_elsewhere, memory_order_relaxed);
  }
  forked_branch(const forked_branch&) = delete;
  forked_branch& operator=(const forked_branch&) = delete;
  ~forked_branch() {}

  /// Call once, after `has_run`: returns what the branch returned, or throws what it threw.
  branch_result_t<G> take() {
    struct destroy_at_exit {
      outcome<G>* kept;
      ~destroy_at_exit() { std::destroy_at(kept); }
    } const guard{&outcome_};
    return detail::result_of([this] { return outcome_.take(); });
  }

 private:
  static void run_elsewhere(pool_task& task) noexcept {
    auto& self = static_cast<forked_branch&>(task);
    ::new (static_cast<void*>(&self.outcome_)) outcome<G>;
    self.outcome_.keep_result_of(std::forward<G>(*self.branch_));
    // Release: pairs with the acquire in has_run.
    self.routine.store(nullptr, memory_order_release);
    worker::current()->tell_waiting();
  }

  std::remove_reference_t<G>* branch_;
  union {
    outcome<G> outcome_;
  };
};

// True once another worker has run it. Acquire: pairs with the release in run_elsewhere.
inline bool has_run(const pool_task& branch) noexcept {
  return branch.routine.load(memory_order_acquire) == nullptr;
}

/// Joins a branch that could not simply be popped. True: the caller has to run it. For branches of
/// all types: with a copy for each, waiting was 8 % of the code of 50 loops (clang 19, -O3).
FINEGRAIN_NOINLINE inline bool join_long(worker& self, const pool_task& forked,
                                         worker::pushed where) {
  const auto done = [&forked]() noexcept { return has_run(forked); };
  if (where == worker::pushed::own_deque) {
    return self.take_back(forked, done);
  }
  if (where == worker::pushed::policy) {
    self.help_until(done);
  }
  return where == worker::pushed::nowhere;
}

/// Called after `f` has thrown: `g` runs in any case, and its own exception is dropped.
template <class G>
FINEGRAIN_NOINLINE void finish_other(worker& self, forked_branch<G>& forked, G&& g,
                                     worker::pushed where) noexcept {
  FINEGRAIN_TRY {
    static_cast<void>(join_long(self, forked, where) ? detail::result_of(std::forward<G>(g))
                                                     : forked.take());
  }
  // NOLINTNEXTLINE(bugprone-empty-catch): f's exception wins
  FINEGRAIN_CATCH(...) {}
}

/// Runs the first branch; if it throws, finishes the second one before it rethrows.
template <class F, class G>
FINEGRAIN_ALWAYS_INLINE branch_result_t<F> first_result(worker& self, forked_branch<G>& forked,
                                                        F&& f, std::remove_reference_t<G>& g,
                                                        worker::pushed where) {
  FINEGRAIN_TRY { return detail::result_of(std::forward<F>(f)); }
  FINEGRAIN_CATCH(...) {
    finish_other(self, forked, std::forward<G>(g), where);
    FINEGRAIN_RETHROW;
  }
}

/// What happens to the second branch of a fork at a place where the first one takes less time than
/// a steal (controller/short_calls.hpp).
enum class if_short : std::uint8_t {
  push,  ///< the same as everywhere
  keep   ///< it stays here, if it would be the next that another worker takes
};

/// For a fork of these branches, whose types have to say where it was written.
template <class... F>
inline constexpr if_short kKeepIfShort =
    (is_type_erased<std::decay_t<F>> || ...) ? if_short::push : if_short::keep;

/// Runs the branches of a fork whose second one went to `where`.
template <class F, class G>
branch_values<F, G> finish_fork(worker& self, forked_branch<G>& forked, F&& f, G&& g,
                                worker::pushed where) {
  auto f_result = first_result(self, forked, std::forward<F>(f), g, where);
  if (join_long(self, forked, where)) {
    return {std::move(f_result), detail::result_of(std::forward<G>(g))};
  }
  return {std::move(f_result), forked.take()};
}

/// A fork whose second branch would be the next that another worker takes.
template <class F, class G>
branch_values<F, G> fork_join_next(worker& self, forked_branch<G>& forked, F&& f, G&& g) {
  // Beside an idle worker a fork took longer than both branches one after the other: by 10 to 260 ns
  // with branches of 50 ns, 0 to 190 with 150, 10 with 340; with 470 it took 70 to 130 less (EPYC
  // 9004, KVM; an empty branch takes 100 to 260 ns from fork to join).
  static constexpr std::chrono::nanoseconds kShort{150};
  short_calls& calls = short_calls_of<std::remove_reference_t<F>, std::remove_reference_t<G>>();
  const auto timed = [&calls, &f] {
    const std::uint64_t start = ticks();
    auto result = detail::result_of(std::forward<F>(f));
    calls.timed(ticks() - start < to_ticks(kShort));
    return result;
  };
  const bool is_due = calls.is_due();
  if (calls.all_short()) {
    self.count_inlined();
    return is_due ? detail::run_both_here(timed, std::forward<G>(g))
                  : detail::run_both_here(std::forward<F>(f), std::forward<G>(g));
  }
  const worker::pushed where = self.push(forked);
  return is_due ? finish_fork(self, forked, timed, std::forward<G>(g), where)
                : finish_fork(self, forked, std::forward<F>(f), std::forward<G>(g), where);
}

// For a push that needs more than a store. Out of line, off the short path.
template <if_short Then, class F, class G>
FINEGRAIN_NOINLINE branch_values<F, G> fork_join_long(worker& self, forked_branch<G>& forked, F&& f,
                                                      G&& g) {
  if (Then == if_short::keep && self.would_offer_next()) {
    return fork_join_next(self, forked, std::forward<F>(f), std::forward<G>(g));
  }
  return finish_fork(self, forked, std::forward<F>(f), std::forward<G>(g), self.push(forked));
}

/// Runs `f` here, and `g` on the worker that takes it first.
template <if_short Then, class F, class G>
branch_values<F, G> fork_join_on(worker& self, F&& f, G&& g) {
  forked_branch<G> forked{g};
  if (!self.try_push(forked)) [[unlikely]] {
    return fork_join_long<Then>(self, forked, std::forward<F>(f), std::forward<G>(g));
  }
  auto f_result = first_result(self, forked, std::forward<F>(f), g, worker::pushed::own_deque);
  if (self.try_pop(forked) || join_long(self, forked, worker::pushed::own_deque)) [[likely]] {
    return {std::move(f_result), detail::result_of(std::forward<G>(g))};
  }
  return {std::move(f_result), forked.take()};
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
