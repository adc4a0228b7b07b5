// Two branches on the workers of a pool.
#pragma once

#include <type_traits>
#include <utility>

#include "finegrain/pool/forked_branch.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/pool/serial_remark.hpp"
#include "finegrain/task/branch.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// Runs `f` on the calling worker and `g` beside it, on whichever worker of the pool takes it
/// first, and returns when both have finished: a pair of their results (std::monostate for one that
/// returns void), nothing when both return void.
///
/// Requires nothing: on a thread that is no worker of a pool, outside of `pool::run`, `f` and then
/// `g` run there; debug builds say so, once a process. Forks may be nested without limit but for
/// the stack. What was written before is visible to both branches, what they wrote to the caller
/// afterwards. Both branches always run to their end; if both throw, `f`'s exception is passed on.
/// Constant time beside the branches, no allocation.
///
/// While it waits for a `g` that another worker has, the worker runs other tasks of the pool.
template <class F, class G>
  requires std::is_invocable_v<std::remove_reference_t<F>&> &&
           std::is_invocable_v<std::remove_reference_t<G>&>
auto fork_join(F&& f, G&& g) {
  using f_type = std::remove_reference_t<F>;
  using g_type = std::remove_reference_t<G>;
  worker* const self = worker::current();
  detail::remark_if_serial(self, "fork_join");
  return detail::without_monostates<f_type, g_type>(
      self != nullptr ? detail::fork_join_on(*self, f, g) : detail::run_both_here(f, g));
}

/// The same on the workers of `home`: on a thread that is none of them, within `home.run`.
template <class F, class G>
auto fork_join(pool& home, F&& f, G&& g) {
  return home.run([&] { return fork_join(std::forward<F>(f), std::forward<G>(g)); });
}

}  // namespace fg::inline FINEGRAIN_ABI
