// The sender that a scheduler's `schedule()` returns, and the names that senders are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "finegrain/core/config.hpp"

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_senders)
#include <execution>
#include <stop_token>
#endif

namespace fg::inline FINEGRAIN_ABI {

/// Names with the meaning of std::execution's, for compilers without it. Each scheduler here takes
/// a family of such names as its first parameter, because `std::execution` and its predecessors
/// know only their own: `finegrain/execution/stdexec.hpp` has stdexec's.
struct plain_senders {
  struct sender_tag {};
  struct scheduler_tag {};
  struct operation_state_tag {};
  struct receiver_tag {};

  struct set_value_t {};
  struct set_error_t {};
  struct set_stopped_t {};
  template <class... Signatures>
  struct completion_signatures {};

  template <class Completion>
  struct get_completion_scheduler_t {};
  struct get_stop_token_t {};
};

#if defined(__cpp_lib_senders)
namespace detail {
template <class Senders>
struct pool_domain;  // bulk.hpp
}

/// The names of the standard library, as in C++26. No library that we can build with has them yet
/// (November 2026: GNU's 12, LLVM's 19), so this has not been compiled.
struct std_senders {
  using sender_tag = std::execution::sender_tag;
  using scheduler_tag = std::execution::scheduler_tag;
  using operation_state_tag = std::execution::operation_state_tag;
  using receiver_tag = std::execution::receiver_tag;

  using set_value_t = std::execution::set_value_t;
  using set_error_t = std::execution::set_error_t;
  using set_stopped_t = std::execution::set_stopped_t;
  template <class... Signatures>
  using completion_signatures = std::execution::completion_signatures<Signatures...>;

  template <class Completion>
  using get_completion_scheduler_t = std::execution::get_completion_scheduler_t<Completion>;
  using get_stop_token_t = std::get_stop_token_t;

  // For the bulk algorithms.
  using pool_domain = detail::pool_domain<std_senders>;
  using get_completion_domain_t = std::execution::get_completion_domain_t<set_value_t>;
  using default_domain = std::execution::default_domain;
  using bulk_chunked_t = std::execution::bulk_chunked_t;
  using bulk_unchunked_t = std::execution::bulk_unchunked_t;
  template <class Sender>
  using tag_of_t = std::execution::tag_of_t<Sender>;
  template <class Sender, class Env>
  using completion_signatures_of_t = std::execution::completion_signatures_of_t<Sender, Env>;
  static constexpr std::execution::connect_t connect{};
  template <class Policy>
  static constexpr bool kIsParallel =
      std::same_as<Policy, std::execution::parallel_policy> ||
      std::same_as<Policy, std::execution::parallel_unsequenced_policy>;

#if defined(__cpp_lib_parallel_scheduler)
  using inplace_stop_token = std::inplace_stop_token;
  using receiver_proxy = std::execution::parallel_scheduler_replacement::receiver_proxy;
  using bulk_item_receiver_proxy =
      std::execution::parallel_scheduler_replacement::bulk_item_receiver_proxy;
  using parallel_scheduler_backend =
      std::execution::parallel_scheduler_replacement::parallel_scheduler_backend;
#endif
};

namespace detail {
std_senders senders_with(std::execution::set_value_t);
}

/// The names that `pool_scheduler` and `relic_scheduler` use.
using default_senders = std_senders;
#else
using default_senders = plain_senders;
#endif

}  // namespace fg::inline FINEGRAIN_ABI

namespace fg::inline FINEGRAIN_ABI::detail {

/// Completes the operation of `receiver`: as stopped if its environment has a stop token and a stop
/// was requested, otherwise with no value. `receiver` may be gone afterwards.
template <class Senders, class Receiver>
void complete_schedule(Receiver& receiver) noexcept {
  using get_stop_token_t = typename Senders::get_stop_token_t;
  if constexpr (requires { std::as_const(receiver).get_env().query(get_stop_token_t{}); }) {
    if (std::as_const(receiver).get_env().query(get_stop_token_t{}).stop_requested()) {
      std::move(receiver).set_stopped();
      return;
    }
  }
  std::move(receiver).set_value();
}

/// A sender that completes on its scheduler's threads, with no value or as stopped. `Scheduler` has
/// the operation, `operation<Receiver>`, made from itself and the receiver. Cheap to copy.
template <class Senders, class Scheduler>
class schedule_sender {
 public:
  using sender_concept = typename Senders::sender_tag;
  using completion_signatures =
      typename Senders::template completion_signatures<typename Senders::set_value_t(),
                                                       typename Senders::set_stopped_t()>;

  explicit schedule_sender(Scheduler scheduler) noexcept : scheduler_{scheduler} {}

  /// Throws what moving the receiver throws.
  template <class Receiver>
  [[nodiscard]] auto connect(Receiver receiver) const
      noexcept(std::is_nothrow_move_constructible_v<Receiver>) {
    return typename Scheduler::template operation<Receiver>{scheduler_, std::move(receiver)};
  }

  [[nodiscard]] schedule_sender get_env() const noexcept { return *this; }

  template <class Completion, class... Env>
    requires std::same_as<Completion, typename Senders::set_value_t> ||
             std::same_as<Completion, typename Senders::set_stopped_t>
  [[nodiscard]] Scheduler query(
      typename Senders::template get_completion_scheduler_t<Completion> /*which*/,
      const Env&... /*unused*/) const noexcept {
    return scheduler_;
  }

 private:
  Scheduler scheduler_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
