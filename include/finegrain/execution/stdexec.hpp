// The schedulers for NVIDIA's stdexec. Not part of finegrain.hpp: this header includes stdexec.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <stdexec/execution.hpp>
#include <type_traits>

#include "finegrain/execution/bulk.hpp"
#include "finegrain/execution/parallel_scheduler.hpp"
#include "finegrain/execution/pool_scheduler.hpp"
#include "finegrain/execution/relic_scheduler.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// stdexec's names; see `plain_senders`. Tested with its commit e92245d5 of August 2026.
struct stdexec_senders {
  using sender_tag = ::stdexec::sender_t;
  using scheduler_tag = ::stdexec::scheduler_t;
  using operation_state_tag = ::stdexec::operation_state_t;
  using receiver_tag = ::stdexec::receiver_t;

  using set_value_t = ::stdexec::set_value_t;
  using set_error_t = ::stdexec::set_error_t;
  using set_stopped_t = ::stdexec::set_stopped_t;
  template <class... Signatures>
  using completion_signatures = ::stdexec::completion_signatures<Signatures...>;

  template <class Completion>
  using get_completion_scheduler_t = ::stdexec::get_completion_scheduler_t<Completion>;
  using get_stop_token_t = ::stdexec::get_stop_token_t;

  // For the bulk algorithms (bulk.hpp).
  using pool_domain = detail::pool_domain<stdexec_senders>;
  using get_completion_domain_t = ::stdexec::get_completion_domain_t<set_value_t>;
  using default_domain = ::stdexec::default_domain;
  using bulk_chunked_t = ::stdexec::bulk_chunked_t;
  using bulk_unchunked_t = ::stdexec::bulk_unchunked_t;
  template <class Sender>
  using tag_of_t = ::stdexec::tag_of_t<Sender>;
  template <class Sender, class Env>
  using completion_signatures_of_t = ::stdexec::completion_signatures_of_t<Sender, Env>;
  static constexpr ::stdexec::connect_t connect{};
  /// `Policy`: what stdexec's bulk senders hold, a wrapper.
  template <class Policy, class Held = decltype(std::declval<const Policy&>().__get())>
  static constexpr bool kIsParallel =
      std::same_as<std::remove_cvref_t<Held>, ::stdexec::parallel_policy> ||
      std::same_as<std::remove_cvref_t<Held>, ::stdexec::parallel_unsequenced_policy>;

  // For the parallel scheduler (parallel_scheduler.hpp).
  using inplace_stop_token = ::stdexec::inplace_stop_token;
  using receiver_proxy = ::stdexec::parallel_scheduler_replacement::receiver_proxy;
  using bulk_item_receiver_proxy =
      ::stdexec::parallel_scheduler_replacement::bulk_item_receiver_proxy;
  using parallel_scheduler_backend =
      ::stdexec::parallel_scheduler_replacement::parallel_scheduler_backend;
};

namespace detail {
stdexec_senders senders_with(::stdexec::set_value_t);
}

/// The schedulers that stdexec's algorithms take.
namespace with_stdexec {
using pool_scheduler = basic_pool_scheduler<stdexec_senders>;
template <relic_like Relic>
using basic_relic_scheduler = fg::basic_relic_scheduler<stdexec_senders, Relic>;
using relic_scheduler = basic_relic_scheduler<relic>;
}  // namespace with_stdexec

}  // namespace fg::inline FINEGRAIN_ABI
