// A relic as an executor, and as a scheduler of std::execution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "finegrain/execution/sender.hpp"
#include "finegrain/relic/relic.hpp"
#include "finegrain/relic/relic_like.hpp"

namespace fg::inline FINEGRAIN_ABI {

/// A handle to a relic, which outlives it, with `execute(f)`. Cheap to copy; equal if of one relic.
template <relic_like Relic>
class basic_relic_executor {
 public:
  explicit basic_relic_executor(Relic& relic) noexcept : relic_{&relic} {}

  /// `relic.submit(f)`, with its limits: at most 48 bytes, no allocation, in order; exceptions go
  /// to `relic.wait()`. In a task of the relic it calls `f` at once. Requires: the relic's main
  /// thread, or a task of the relic.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  void execute(F&& f) const {
    if (relic_->called_by_task()) {
      [own = std::decay_t<F>(std::forward<F>(f))]() mutable { static_cast<void>(own()); }();
    } else {
      relic_->submit(std::forward<F>(f));
    }
  }

  [[nodiscard]] Relic& relic() const noexcept { return *relic_; }

  friend bool operator==(const basic_relic_executor&,
                         const basic_relic_executor&) noexcept = default;

 private:
  Relic* relic_;
};

/// The executor of a relic with the default policy.
using relic_executor = basic_relic_executor<relic>;

/// A handle to a relic whose `schedule()` is a sender that completes on the assistant; see
/// `basic_pool_scheduler`. Cheap to copy; two are equal if they refer to the same relic.
///
/// **An operation** is started on the relic's main thread: it is submitted, in order with
/// everything else, without allocation, and waits for space like `submit`. Started in a task of the
/// relic, where nothing can be submitted, it completes at once. The receiver is completed on the
/// assistant, or on the main thread in inline mode, as stopped if a stop was requested before. What
/// was written before `start` is visible there. What follows there is a task of the relic and has
/// to follow its rules: it cannot move to another thread by this scheduler, and the main thread's
/// next task waits for it. So the bulk algorithms make all calls there.
///
/// Requires: the relic lives until every operation that was started has completed.
template <class Senders, relic_like Relic>
class basic_relic_scheduler {
 public:
  using scheduler_concept = typename Senders::scheduler_tag;

  explicit basic_relic_scheduler(Relic& relic) noexcept : relic_{&relic} {}

  /// Any thread. Constant time.
  [[nodiscard]] auto schedule() const noexcept {
    return detail::schedule_sender<Senders, basic_relic_scheduler>{*this};
  }

  [[nodiscard]] Relic& relic() const noexcept { return *relic_; }

  friend bool operator==(const basic_relic_scheduler&,
                         const basic_relic_scheduler&) noexcept = default;

  /// The result of `connect`. Requires: it lives until the receiver is completed.
  template <class Receiver>
  class operation {
   public:
    using operation_state_concept = typename Senders::operation_state_tag;

    operation(basic_relic_scheduler scheduler,
              Receiver receiver) noexcept(std::is_nothrow_move_constructible_v<Receiver>)
        : relic_{scheduler.relic_}, receiver_(std::move(receiver)) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

    /// Once. On the relic's main thread, or in a task of the relic.
    void start() & noexcept {
      if (relic_->called_by_task()) {
        detail::complete_schedule<Senders>(receiver_);
      } else {
        relic_->submit([this]() noexcept { detail::complete_schedule<Senders>(receiver_); });
      }
    }

   private:
    Relic* relic_;
    Receiver receiver_;
  };

 private:
  Relic* relic_;
};

/// For a relic with the default policy and std::execution, if the standard library has it.
using relic_scheduler = basic_relic_scheduler<default_senders, relic>;

}  // namespace fg::inline FINEGRAIN_ABI
