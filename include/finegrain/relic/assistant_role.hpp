// Which of a relic's two threads runs the tasks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/config.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// The role of the assistant: to take tasks out of the ring, run them and complete them. The
/// assistant has it while it is awake. It gives it up before it blocks, so that the main thread can
/// run tasks that wait for a sleeping, or waking, assistant, and takes it again when it is awake.
///
/// ## States, in one word
///
///     kAssistants  the assistant runs tasks, looks for them, or has not blocked yet
///     kNobodys     it sleeps or is waking
///     kMains       the main thread runs tasks; an assistant that wakes waits for it
///
/// ## Steps
///
///     give_up    assistant   kAssistants -> kNobodys   a store
///     take_back  assistant   kNobodys -> kAssistants   a compare-exchange, blocks while kMains
///     try_take_back                                    the same, never blocks
///     try_take   main        kNobodys -> kMains        a compare-exchange, never blocks
///     give_back  main        kMains -> kNobodys        an exchange, and a notification
///
/// ## Races
/// * *Who runs a task*: only the thread that has the role touches the assistant's end of the ring.
///   Each change of hands is a release that the next holder acquires, so that end, and the exception
///   that is kept, pass from one to the other.
/// * *No task is left*: the assistant gives the role up only after it has announced that it sleeps
///   and has then found nothing (sleep_gate.hpp, S3). A task published later finds it announced,
///   and the main thread wakes it, whether or not it also runs the task itself.
/// * *A wake-up while the main thread has the role*: the assistant blocks on the word. give_back
///   notifies after its exchange; both are sequentially consistent, as in sleep_gate.hpp.
class assistant_role {
 public:
  // ---- main thread ----

  /// True if the main thread now has the role. Constant time.
  [[nodiscard]] bool try_take() noexcept {
    std::uint32_t nobodys = kNobodys;
    // Relaxed: a guess. Acquire: pairs with the release in give_up and give_back.
    return word_.load(memory_order_relaxed) == kNobodys &&
           word_.compare_exchange_strong(nobodys, kMains, memory_order_acquire,
                                         memory_order_relaxed);
  }

  /// Requires: `try_take` returned true.
  void give_back() noexcept {
    // Sequentially consistent: see wake_sleeper in sleep_gate.hpp. It releases to take_back.
    word_.exchange(kNobodys, memory_order_seq_cst);
    word_.notify_one();
  }

  // ---- assistant ----

  /// Requires: the assistant has the role.
  void give_up() noexcept {
    // Release: pairs with the acquire in try_take.
    word_.store(kNobodys, memory_order_release);
  }

  /// True if the assistant has the role again. Constant time. Requires: `give_up`.
  [[nodiscard]] bool try_take_back() noexcept {
    std::uint32_t nobodys = kNobodys;
    // Acquire: pairs with the release in give_back. Relaxed: then the main thread has it.
    return word_.compare_exchange_strong(nobodys, kAssistants, memory_order_acquire,
                                         memory_order_relaxed);
  }

  /// True while `try_take_back` fails; may be out of date on return.
  // Relaxed: a guess.
  [[nodiscard]] bool is_mains() const noexcept {
    return word_.load(memory_order_relaxed) == kMains;
  }

  /// Blocks while the main thread has the role. Requires: `give_up`.
  void take_back() noexcept {
    std::uint32_t seen = kNobodys;
    // Acquire: pairs with the release in give_back. Relaxed: then it waits.
    while (!word_.compare_exchange_strong(seen, kAssistants, memory_order_acquire,
                                          memory_order_relaxed)) {
      word_.wait(seen, memory_order_relaxed);  // relaxed: the exchange acquires
      seen = kNobodys;
    }
  }

 private:
  static constexpr std::uint32_t kAssistants = 0;
  static constexpr std::uint32_t kNobodys = 1;
  static constexpr std::uint32_t kMains = 2;

  atomic<std::uint32_t> word_{kAssistants};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
