// The shipped pool/policies.hpp, whose policies are counted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgnu-include-next"
#define kBalancingPolicies kShippedPolicies
#define find_policy find_shipped_policy
#define policy_of_environment shipped_policy_of_environment
#include_next "finegrain/pool/policies.hpp"
#undef kBalancingPolicies
#undef find_policy
#undef policy_of_environment
#pragma clang diagnostic pop

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "sim/simulator/program.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Calls another policy, and counts its attempts to steal. Not instrumented: it costs no access.
class counted_balancer final : public balancer {
 public:
  explicit counted_balancer(std::unique_ptr<balancer> counted)
      : kept_{std::move(counted)}, it_{*kept_} {}

#define SIM_UNCOUNTED [[clang::disable_sanitizer_instrumentation]]
  SIM_UNCOUNTED [[nodiscard]] std::size_t queue_capacity() const noexcept override {
    return it_.queue_capacity();
  }
  SIM_UNCOUNTED void settle(std::size_t worker) noexcept override { it_.settle(worker); }
  SIM_UNCOUNTED bool push(std::size_t worker, pool_task& task) noexcept override {
    return it_.push(worker, task);
  }
  SIM_UNCOUNTED bool push_reserved(std::size_t worker, pool_task& task) noexcept override {
    return it_.push_reserved(worker, task);
  }
  SIM_UNCOUNTED pool_task* pop(std::size_t worker) noexcept override { return it_.pop(worker); }
  SIM_UNCOUNTED bool leave(std::size_t worker) noexcept override { return it_.leave(worker); }
  SIM_UNCOUNTED void come_back(std::size_t worker) noexcept override { it_.come_back(worker); }
  SIM_UNCOUNTED pool_task* pop_of_absent() noexcept override { return it_.pop_of_absent(); }
  SIM_UNCOUNTED [[nodiscard]] bool any_task_of_absent() const noexcept override {
    return it_.any_task_of_absent();
  }
  SIM_UNCOUNTED bool answer_requests(std::size_t worker) noexcept override {
    return it_.answer_requests(worker);
  }
  SIM_UNCOUNTED pool_task* steal(std::size_t worker) noexcept override {
    return counted(it_.steal(worker));
  }
  SIM_UNCOUNTED pool_task* steal_any(std::size_t worker) noexcept override {
    return counted(it_.steal_any(worker));
  }
  SIM_UNCOUNTED bool has_seen_reserved(std::size_t worker) noexcept override {
    return it_.has_seen_reserved(worker);
  }
  SIM_UNCOUNTED void announce_sleep(std::size_t worker) noexcept override {
    it_.announce_sleep(worker);
  }
  SIM_UNCOUNTED bool has_work_guess(std::size_t worker) noexcept override {
    return it_.has_work_guess(worker);
  }
  SIM_UNCOUNTED bool has_any_work_guess(std::size_t worker) noexcept override {
    return it_.has_any_work_guess(worker);
  }
  SIM_UNCOUNTED [[nodiscard]] bool any_task_guess() const noexcept override {
    return it_.any_task_guess();
  }

 private:
  SIM_UNCOUNTED static pool_task* counted(pool_task* stolen) noexcept {
    sim::count_one(sim::count::steal_attempts);
    if (stolen != nullptr) {
      sim::count_one(sim::count::steals);
    }
    return stolen;
  }
#undef SIM_UNCOUNTED

  std::unique_ptr<balancer> kept_;
  balancer& it_;
};

template <std::size_t Which>
std::unique_ptr<balancer> make_counted(const balancer_setting& setting) {
  return std::make_unique<counted_balancer>(kShippedPolicies[Which].make(setting));
}

template <std::size_t... Which>
constexpr auto counted_policies(std::index_sequence<Which...>) {
  return std::array{balancing_policy{kShippedPolicies[Which].name,
                                     kShippedPolicies[Which].uses_own_deques,
                                     &make_counted<Which>}...};
}

inline constexpr std::array kBalancingPolicies =
    counted_policies(std::make_index_sequence<kShippedPolicies.size()>{});

inline const balancing_policy& find_policy(std::string_view name) {
  return kBalancingPolicies[static_cast<std::size_t>(&find_shipped_policy(name) -
                                                     kShippedPolicies.data())];
}

inline const balancing_policy& policy_of_environment() { return kBalancingPolicies.front(); }

}  // namespace fg::inline FINEGRAIN_ABI::detail
