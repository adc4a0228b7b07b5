// The balancing policies by name.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/pool/balance/private_deque_balance.hpp"
#include "finegrain/pool/balancer.hpp"
#include "finegrain/pool/idle_workers.hpp"
#include "finegrain/queue/private_deque.hpp"

namespace fg {

/// What a policy is made of: the deques in the workers, which it may leave alone, and where the
/// workers sleep. One deque a worker.
struct balancer_setting {
  std::vector<private_deque*> deques;
  idle_workers& idle;
};

/// A policy that a pool can be made with.
struct balancing_policy {
  std::string_view name;
  bool uses_own_deques;  ///< the workers push and pop their own deques without a call
  std::unique_ptr<balancer> (*make)(const balancer_setting& setting);
};

/// All of them, the default first.
inline constexpr std::array kBalancingPolicies{
    balancing_policy{.name = "private_deque",
                     .uses_own_deques = true,
                     .make = [](const balancer_setting& setting) -> std::unique_ptr<balancer> {
                       return std::make_unique<private_deque_balance>(setting.deques, setting.idle);
                     }},
};

/// The policy of this name. Throws std::invalid_argument that lists the names.
inline const balancing_policy& find_policy(std::string_view name) {
  std::string names;
  for (const balancing_policy& policy : kBalancingPolicies) {
    if (policy.name == name) {
      return policy;
    }
    names += (names.empty() ? "" : ", ") + std::string{policy.name};
  }
  throw std::invalid_argument("finegrain: there is no balancing policy '" + std::string{name} +
                              "'; there are: " + names);
}

}  // namespace fg
