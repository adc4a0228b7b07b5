// The balancing policies by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "finegrain/balance/balancer.hpp"
#include "finegrain/balance/chase_lev_balance.hpp"
#include "finegrain/balance/combining.hpp"
#include "finegrain/balance/idle_workers.hpp"
#include "finegrain/balance/private_deque_balance.hpp"
#include "finegrain/balance/xqueue_nowait.hpp"
#include "finegrain/balance/xqueue_static.hpp"
#include "finegrain/balance/xqueue_wait.hpp"
#include "finegrain/core/environment.hpp"
#include "finegrain/core/errors.hpp"
#include "finegrain/pool/pool_options.hpp"
#include "finegrain/queue/private_deque.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// What a policy is made from: the workers' deques, one per worker, which it may ignore; the idle
/// workers; and `pool_options::queue_capacity`.
struct balancer_setting {
  std::vector<private_deque*> deques;
  idle_workers& idle;
  std::size_t queue_capacity;
};

/// A policy that a pool can be made with.
struct balancing_policy {
  std::string_view name;
  /// The workers push and pop their own deques without a call. Only then are regions distinguished
  /// (worker.hpp), and only then may further callers and the spare thread come and go like worker
  /// 0, which needs deputies elsewhere.
  bool uses_own_deques;
  std::unique_ptr<balancer> (*make)(const balancer_setting& setting);
};

// For bounded queues: the capacity is the constructor's last argument, with a default.
template <class Balancer, auto... Arguments>
std::unique_ptr<balancer> make_bounded(const balancer_setting& setting) {
  const std::size_t workers = setting.deques.size();
  if (setting.queue_capacity == 0) {
    return std::make_unique<Balancer>(workers, setting.idle, Arguments...);
  }
  return std::make_unique<Balancer>(workers, setting.idle, Arguments..., setting.queue_capacity);
}

inline std::unique_ptr<balancer> make_private_deque(const balancer_setting& setting) {
  return std::make_unique<private_deque_balance>(setting.deques, setting.idle);
}

inline std::unique_ptr<balancer> make_chase_lev(const balancer_setting& setting) {
  return std::make_unique<chase_lev_balance>(setting.deques.size(), setting.idle);
}

/// All policies in the order of `balancing`, the default first. The names are FINEGRAIN_POLICY's.
inline constexpr std::array kBalancingPolicies{
    balancing_policy{name_of(balancing::private_deque), true, &make_private_deque},
    balancing_policy{name_of(balancing::xqueue_static), false, &make_bounded<xqueue_static>},
    balancing_policy{name_of(balancing::xqueue_wait), false,
                     &make_bounded<xqueue_wait, xqueue_wait::patience{}>},
    balancing_policy{name_of(balancing::xqueue_nowait), false,
                     &make_bounded<xqueue_nowait, std::size_t{1}>},
    balancing_policy{name_of(balancing::xqueue_nowait_2), false,
                     &make_bounded<xqueue_nowait, std::size_t{2}>},
    balancing_policy{name_of(balancing::combining), false, &make_bounded<combining_balance>},
    balancing_policy{name_of(balancing::chase_lev), false, &make_chase_lev},
};

/// The policy of this name. Throws std::invalid_argument that lists the names.
inline const balancing_policy& find_policy(std::string_view name) {
  if (const balancing_policy* const found = find_by_name(kBalancingPolicies, name)) {
    return *found;
  }
  raise(std::invalid_argument("finegrain: " +
                              unknown_name(kBalancingPolicies, "balancing policy", name)));
}

/// The policy that FINEGRAIN_POLICY names. If it is not set, the default; if it names none, also
/// the default, after a line on standard error, once per process.
inline const balancing_policy& policy_of_environment() {
  return choice_of_environment(kBalancingPolicies, "balancing policy", "FINEGRAIN_POLICY");
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
