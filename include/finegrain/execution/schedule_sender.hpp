// What `schedule()` returns, for a pool's scheduler and a relic's.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Completes the operation of `receiver`: stopped where its environment has a stop token and a stop
/// was requested, with no value otherwise. `receiver` may be gone afterwards.
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

/// A sender that completes on its scheduler's threads, with no value, or stopped. `Scheduler` has
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

  /// Both completions come on the scheduler's threads.
  class env {
   public:
    explicit env(Scheduler scheduler) noexcept : scheduler_{scheduler} {}

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
  [[nodiscard]] env get_env() const noexcept { return env{scheduler_}; }

 private:
  Scheduler scheduler_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
