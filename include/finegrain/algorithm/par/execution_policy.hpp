// Execution policies: where the algorithms of algorithm.hpp run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "finegrain/controller/offload.hpp"
#include "finegrain/pool/pool.hpp"

namespace fg::inline FINEGRAIN_ABI {

struct parallel_policy_on;

/// Runs an algorithm on the workers of the pool that the calling thread works for: within
/// `pool::run`. On a thread that is no worker of a pool the algorithm runs there, serially; debug
/// builds say so, once per process.
///
///     pool.run([&] { fg::sort(fg::par, names.begin(), names.end()); });
///     fg::for_each(fg::parallel_policy{.grain = 16}.on(pool), rows, blur);
///
/// What all algorithms with a policy have in common:
///
/// * They do what those of the same names in the standard library do with `std::execution::par`.
///   Callables run concurrently, on objects that are shared; those of up to 48 bytes that are
///   trivially copyable may be copied.
/// * Random-access iterators are split. With weaker forward iterators everything runs on the
///   calling thread, by the standard's serial algorithm. Input iterators do not compile. A range has
///   to know its size and have random access (`loop_range`); what an algorithm returns for iterators
///   it returns for a range too, unless it says otherwise.
/// * If callables throw, one exception is rethrown when all that has begun has ended. (The standard's
///   algorithms call std::terminate.) What was written is then unspecified.
/// * What was written before is visible to the callables; what they wrote is visible to the caller
///   afterwards.
/// * Each piece of a range runs by the standard's serial algorithm or a loop like it. Work too short
///   to gain anything runs on the calling worker: each place in the source, by the types of the
///   callables and iterators, learns what it costs (algorithm/pool/parallel_for.hpp). Function
///   pointers and std::functions do not tell a place: their work is always offered to other workers.
struct parallel_policy {
  /// Elements of the smallest piece; 0: as in `pool_loop_options`. `sort` has its own.
  std::size_t grain = 0;

  /// Whether other workers take part, as in `pool_loop_options`. `sort` shares unless it is `never`.
  offload mode = offload::adaptive;

  /// The same on the workers of `home`: on a thread that is none of them, within `home.run`, and with
  /// its cost.
  [[nodiscard]] constexpr parallel_policy_on on(pool& home) const noexcept;
};

/// A parallel_policy for a given pool, which has to outlive it. Made by `parallel_policy::on`.
struct parallel_policy_on {
  parallel_policy how;
  pool* home;
};

constexpr parallel_policy_on parallel_policy::on(pool& home) const noexcept {
  return {.how = *this, .home = &home};
}

/// Replaces `std::execution::par`.
inline constexpr parallel_policy par{};

template <class Policy>
concept execution_policy =
    std::same_as<Policy, parallel_policy> || std::same_as<Policy, parallel_policy_on>;

namespace detail {

/// Calls `f(how)` where the policy says.
template <class F>
std::invoke_result_t<F&, const parallel_policy&> run_under(const parallel_policy& policy, F&& f) {
  return f(policy);
}
template <class F>
std::invoke_result_t<F&, const parallel_policy&> run_under(const parallel_policy_on& policy,
                                                           F&& f) {
  return policy.home->run([&] { return f(policy.how); });
}

}  // namespace detail
}  // namespace fg::inline FINEGRAIN_ABI
