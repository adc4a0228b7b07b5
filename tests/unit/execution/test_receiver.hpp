// A receiver that records how an operation completed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>
#include <type_traits>

#include "finegrain/core/atomic.hpp"
#include "finegrain/execution/sender.hpp"

namespace fg::test {

/// How an operation ended, and on which thread.
struct completion {
  enum class kind : int { none, value, stopped };
  fg::atomic<kind> how{kind::none};
  std::thread::id where;

  /// Blocks until the operation has ended.
  [[nodiscard]] kind wait() const {
    how.wait(kind::none);
    return how;
  }
  void end(kind which) noexcept {
    where = std::this_thread::get_id();
    how = which;
    how.notify_all();
  }
};

/// Reports to `completion`, after `then()`.
template <class Then>
struct receiver {
  using receiver_concept = fg::plain_senders::receiver_tag;
  completion* told;
  Then then;

  void set_value() && noexcept {
    then();
    told->end(completion::kind::value);
  }
  void set_stopped() && noexcept { told->end(completion::kind::stopped); }
};

struct stop_token {
  const bool* asked;
  [[nodiscard]] bool stop_requested() const noexcept { return *asked; }
};
struct stop_env {
  const bool* asked;
  [[nodiscard]] stop_token query(fg::plain_senders::get_stop_token_t /*what*/) const noexcept {
    return {asked};
  }
};

/// The same, with an environment that may request a stop.
template <class Then>
struct stoppable_receiver : receiver<Then> {
  const bool* asked;
  [[nodiscard]] stop_env get_env() const noexcept { return {asked}; }
};

/// What P2300 requires of a scheduler and its sender.
template <class Scheduler>
concept plain_scheduler =
    std::is_same_v<typename Scheduler::scheduler_concept, fg::plain_senders::scheduler_tag> &&
    std::is_nothrow_copy_constructible_v<Scheduler> &&
    std::is_nothrow_move_constructible_v<Scheduler> && std::is_copy_assignable_v<Scheduler> &&
    requires(const Scheduler scheduler) {
      typename decltype(scheduler.schedule())::sender_concept;
      typename decltype(scheduler.schedule())::completion_signatures;
      { scheduler == scheduler } noexcept;
      {
        scheduler.schedule().get_env().query(
            fg::plain_senders::get_completion_scheduler_t<fg::plain_senders::set_value_t>{})
      } noexcept;
    };

}  // namespace fg::test
