// Branches on the workers of a pool: two, or any number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/presence.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Runs `f` on the calling worker and `g` in parallel, on the worker of the pool that takes it
/// first, and returns when both have finished: a pair of their results (std::monostate for one that
/// returns void), nothing if both return void.
///
/// Requires nothing: on a thread that is no worker of a pool, outside of `pool::run`, `f` and then
/// `g` run there; debug builds say so, once per process. Forks may be nested without limit except
/// for the stack. What was written before is visible to both branches; what they wrote is visible
/// to the caller afterwards. Both branches always run to their end; if both throw, `f`'s exception
/// is rethrown. A lambda, or another object without a default constructor, that is passed as an
/// rvalue, is trivially copyable, has up to 48 bytes, and returns nothing or a number may be called
/// as a copy, which ends with its call. Constant time besides the branches, no allocation.
///
/// While it waits for a `g` that another worker has taken, the worker runs other tasks of the pool.
///
/// At a place in the source where `f` takes less than 150 ns the caller runs `g`, too, if other
/// workers could take nothing else from it: handing it over would take longer. One call of 16 is
/// timed, so up to 32 calls that are suddenly long are not shared.
template <class F, class G>
  requires std::is_invocable_v<std::remove_reference_t<F>&> &&
           std::is_invocable_v<std::remove_reference_t<G>&>
auto fork_join(F&& f, G&& g) {
  worker* const self = worker::current();
  detail::remark_if_serial(self, "fork_join");
  return detail::without_monostates<F, G>(
      self != nullptr ? detail::fork_join_on<detail::kKeepIfShort<F, G>>(*self, std::forward<F>(f),
                                                                         std::forward<G>(g))
                      : detail::run_both_here(std::forward<F>(f), std::forward<G>(g)));
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <class F, class G>
auto fork_join(pool& home, F&& f, G&& g) {
  return home.run([&] { return fork_join(std::forward<F>(f), std::forward<G>(g)); });
}

namespace detail {

/// Runs the branches [Begin, End), the second half of them forked, and returns a tuple of their
/// results. If several throw, rethrows the exception of the first of them.
template <std::size_t Begin, std::size_t End, class... F>
auto invoke_between(const std::tuple<F&&...>& branches) {
  if constexpr (End - Begin == 1) {
    using branch = std::tuple_element_t<Begin, std::tuple<F...>>;
    return std::tuple<branch_result_t<branch>>{
        detail::result_of(std::forward<branch>(std::get<Begin>(branches)))};
  } else {
    constexpr std::size_t kMiddle = Begin + (End - Begin + 1) / 2;
    const auto first = [&branches] { return invoke_between<Begin, kMiddle, F...>(branches); };
    const auto second = [&branches] { return invoke_between<kMiddle, End, F...>(branches); };
    auto halves = fork_halves<kKeepIfShort<F...>>(first, second);
    return std::tuple_cat(std::move(halves.first), std::move(halves.second));
  }
}

}  // namespace detail

/// Runs all `branches`, at least one: the first on the calling worker and the others in parallel,
/// on the workers of the pool that take them first. Returns when all have finished: a tuple of
/// their results (std::monostate for one that returns void), nothing if all return void.
///
///     const auto [a, b, c] = fg::parallel_invoke(f, g, h);
///
/// Requires nothing: on a thread that is no worker of a pool, outside of `pool::run`, the branches
/// run there, in order; debug builds say so, once per process. What was written before is visible
/// to all branches; what they wrote is visible to the caller afterwards. All branches always run to
/// their end; if several throw, the exception of the first of them in the order of the arguments is
/// rethrown. Branches are forked by halves, so that the last of n begins after log2(n) steals.
/// Linear in their number, no allocation. Lambdas may be called as copies, as by fork_join.
///
/// While it waits for branches that other workers have taken, the worker runs other tasks of the
/// pool.
template <class... F>
  requires(sizeof...(F) > 0 && (std::is_invocable_v<std::remove_reference_t<F>&> && ...))
auto parallel_invoke(F&&... branches) {
  detail::remark_if_serial(worker::current(), "parallel_invoke");
  const auto all = std::forward_as_tuple(std::forward<F>(branches)...);
  auto results = detail::invoke_between<0, sizeof...(F), F...>(all);
  if constexpr (!(std::is_void_v<std::invoke_result_t<std::remove_reference_t<F>&>> && ...)) {
    return results;
  }
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <class... F>
auto parallel_invoke(pool& home, F&&... branches) {
  return home.run([&] { return parallel_invoke(std::forward<F>(branches)...); });
}

}  // namespace fg::inline FINEGRAIN_ABI
