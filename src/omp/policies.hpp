// The balancing policies in the form that OpenMP needs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "finegrain/balance/chase_lev_balance.hpp"
#include "finegrain/balance/combining.hpp"
#include "finegrain/balance/private_deque_balance.hpp"
#include "finegrain/balance/xqueue_nowait.hpp"
#include "finegrain/balance/xqueue_static.hpp"
#include "finegrain/balance/xqueue_wait.hpp"

namespace fg::omp {

using fg::detail::balancer;
using fg::detail::deputised_deque;
using fg::detail::idle_workers;

/// A balancing policy of the pool in a form in which idle threads can reach every task, whatever
/// its creator is busy with, for instance a spin loop in the program. Where the pool's own form
/// does not ensure that, a thread's queues have deputies.
struct conforming_policy {
  std::string_view name;
  bool uses_own_deques;  ///< threads push to and pop from their own deque without a call
  /// Larger teams use the default policy, because the memory grows with the square of the number of
  /// threads. Not tuned.
  std::size_t most_threads;
  bool recalls;  ///< a thread's tasks go to other threads, or come out oldest first: recall.hpp
  /// `deques`: one per thread; null if the policy does not use them. Throws std::bad_alloc.
  std::unique_ptr<balancer> (*make)(const std::vector<deputised_deque*>& deques,
                                    idle_workers& idle);
};

using deque_list = std::vector<deputised_deque*>;

template <class Queues, auto... Arguments>
std::unique_ptr<balancer> make_deputised(const deque_list& deques, idle_workers& idle) {
  return std::make_unique<Queues>(deques.size(), idle, Arguments...,
                                  fg::detail::xqueue::kRingCapacity,
                                  fg::detail::deputised::everybody);
}

inline std::unique_ptr<balancer> make_private_deque(const deque_list& deques, idle_workers& idle) {
  return std::make_unique<fg::detail::basic_private_deque_balance<deputised_deque>>(deques, idle);
}

// For policies under which every thread can take from every other anyway.
template <class Queues>
std::unique_ptr<balancer> make_open(const deque_list& deques, idle_workers& idle) {
  return std::make_unique<Queues>(deques.size(), idle);
}

inline constexpr std::size_t kAnyNumber = ~std::size_t{0};
inline constexpr std::size_t kMostForRings = 256;

/// All policies, under the pool's names for them, the default first.
inline constexpr std::array kConformingPolicies{
    conforming_policy{"private_deque", true, kAnyNumber, false, &make_private_deque},
    conforming_policy{"xqueue_static", false, kMostForRings, true,
                      &make_deputised<fg::detail::xqueue_static>},
    conforming_policy{
        "xqueue_wait", false, kMostForRings, true,
        &make_deputised<fg::detail::xqueue_wait, fg::detail::xqueue_wait::patience{}>},
    conforming_policy{"xqueue_nowait", false, kMostForRings, true,
                      &make_deputised<fg::detail::xqueue_nowait, std::size_t{1}>},
    conforming_policy{"xqueue_nowait:2", false, kMostForRings, true,
                      &make_deputised<fg::detail::xqueue_nowait, std::size_t{2}>},
    conforming_policy{"combining", false, kAnyNumber, true,
                      &make_open<fg::detail::combining_balance>},
    conforming_policy{"chase_lev", false, kAnyNumber, false,
                      &make_open<fg::detail::chase_lev_balance>},
};

/// Returns null if no policy has this name.
inline const conforming_policy* find_conforming(std::string_view name) noexcept {
  for (const conforming_policy& each : kConformingPolicies) {
    if (each.name == name) {
      return &each;
    }
  }
  return nullptr;
}

}  // namespace fg::omp
