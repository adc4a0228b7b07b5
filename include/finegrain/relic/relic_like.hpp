// What the algorithms require of a relic, and their access to its private functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

/// The private functions of a relic that algorithms call. The relic states their requirements. All
/// but `can_share` are for the main thread.
struct relic_access {
  template <class Relic>
  static auto can_share(const Relic& relic) noexcept -> decltype(relic.can_share()) {
    return relic.can_share();
  }
  template <class Relic>
  static auto is_ready(const Relic& relic) noexcept -> decltype(relic.is_ready()) {
    return relic.is_ready();
  }
  template <class Relic>
  [[nodiscard]] static auto without_help(Relic& relic) noexcept -> typename Relic::without_help {
    return typename Relic::without_help{relic};
  }
  template <class Relic>
  static auto miss_sleeper(Relic& relic) noexcept -> decltype(relic.miss_sleeper()) {
    relic.miss_sleeper();
  }
  template <class Relic>
  static auto wake_if_asleep(Relic& relic) noexcept -> decltype(relic.wake_if_asleep()) {
    relic.wake_if_asleep();
  }
  template <class Relic>
  static auto long_wait(Relic& relic) noexcept -> decltype(relic.long_wait()) {
    return relic.long_wait();
  }
  template <class Relic>
  static auto period_ticks(const Relic& relic) noexcept -> decltype(relic.period_ticks()) {
    return relic.period_ticks();
  }
  template <class Relic>
  static auto count_inlined(Relic& relic, std::uint64_t count) noexcept
      -> decltype(relic.count_inlined(count)) {
    relic.count_inlined(count);
  }
  template <class Relic>
  static auto round_trip_ticks(Relic& relic) -> decltype(relic.round_trip_ticks()) {
    return relic.round_trip_ticks();
  }
  template <class Relic, class Done>
  static auto await(Relic& relic, const void* line, Done done)
      -> decltype(relic.await(line, done)) {
    relic.await(line, done);
  }
};

}  // namespace detail

/// A relic with any wait policy: what `fork_join` and the loops use of it.
template <class R>
concept relic_like = requires(R& relic) {
  static_cast<bool>(relic.called_by_main());
  static_cast<bool>(relic.inline_mode());
  static_cast<bool>(relic.is_asleep());
  relic.fork([]() noexcept {}).get();
  static_cast<bool>(detail::relic_access::can_share(relic));
  static_cast<bool>(detail::relic_access::is_ready(relic));
  static_cast<void>(detail::relic_access::without_help(relic));
  detail::relic_access::wake_if_asleep(relic);
  detail::relic_access::miss_sleeper(relic);
  detail::relic_access::long_wait(relic).ticks = std::uint64_t{0};
  static_cast<std::uint64_t>(detail::relic_access::period_ticks(relic));
  detail::relic_access::count_inlined(relic, std::uint64_t{1});
  static_cast<std::uint64_t>(detail::relic_access::round_trip_ticks(relic));
};

}  // namespace fg::inline FINEGRAIN_ABI
