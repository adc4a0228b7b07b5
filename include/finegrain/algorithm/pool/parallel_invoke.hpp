// Any number of branches on the workers of a pool.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "finegrain/algorithm/pool/split.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/serial_remark.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// Runs the branches [Begin, End), the second half of them forked, and returns a tuple of their
/// results. If several throw, the exception of the first of them is passed on.
template <std::size_t Begin, std::size_t End, class... F>
auto invoke_between(const std::tuple<F&...>& branches) {
  if constexpr (End - Begin == 1) {
    using branch = std::tuple_element_t<Begin, std::tuple<F...>>;
    return std::tuple<branch_result_t<branch>>{result_of(std::get<Begin>(branches))};
  } else {
    constexpr std::size_t kMiddle = Begin + (End - Begin + 1) / 2;
    const auto first = [&branches] { return invoke_between<Begin, kMiddle>(branches); };
    const auto second = [&branches] { return invoke_between<kMiddle, End>(branches); };
    auto halves = fork_halves(first, second);
    return std::tuple_cat(std::move(halves.first), std::move(halves.second));
  }
}

}  // namespace detail

/// Runs all `branches`, one at least, the first on the calling worker and the others beside it, on
/// whichever worker of the pool takes them first, and returns when all have finished: a tuple of
/// their results (std::monostate for one that returns void), nothing when all return void.
///
///     const auto [a, b, c] = fg::parallel_invoke(f, g, h);
///
/// Requires nothing: on a thread that is no worker of a pool, outside of `pool::run`, the branches
/// run there, in order; debug builds say so, once a process. What was written before is visible to
/// all branches, what they wrote to the caller afterwards. All branches always run to their end; if
/// several throw, the exception of the first of them in the order of the arguments is passed on.
/// They are handed out by halves, so that the last of n begins after log2(n) steals. Linear in
/// their number, no allocation.
///
/// While it waits for branches that other workers have, the worker runs other tasks of the pool.
template <class... F>
  requires(sizeof...(F) > 0 && (std::is_invocable_v<std::remove_reference_t<F>&> && ...))
auto parallel_invoke(F&&... branches) {
  detail::remark_if_serial(worker::current(), "parallel_invoke");
  const std::tuple<std::remove_reference_t<F>&...> all{branches...};
  auto results = detail::invoke_between<0, sizeof...(F)>(all);
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
