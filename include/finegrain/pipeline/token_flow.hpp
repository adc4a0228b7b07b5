// Moves the tokens of a pipeline through its stages, on the workers of a pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/cache_line.hpp"
#include "finegrain/pipeline/serial_gate.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/pool/ready_tasks.hpp"
#include "finegrain/pool/worker.hpp"
#include "finegrain/task/pool_task.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A token is a task, and the room that it is in: the token of number k is in room k modulo the number
/// of rooms. A thread stays in a stage as long as a token may come there, and leaves the one that it
/// has passed on to others, who take several at once; else it goes on with that. (The other way round
/// took 1.05 to 1.3 of the time with two workers, EPYC 9005, KVM.)
///
/// ## What a token waits for
/// Into a stage in order, token k comes when *both* it has left the stage before and token k - 1 has
/// left this one; into the first stage, when token k - 1 has left it and the room is empty, as the token
/// before has left the last one. Each such entry has a count, 2, of what it still waits for: whoever
/// ends the last of both has the token to itself, and sets the count for the room's next token, which
/// comes later than all that. A stage out of order has a serial_gate. A parallel one is always open.
///
/// Every thread that has ended a stage first lets the next token into it, then its own token into the
/// next stage: when that has begun without it, the run may end and this object be gone.
///
/// ## The end
/// After the last token of the batch, the first stage is passed by as many that are none as there are
/// rooms. Each waits for its room to be empty, so with the last one all tokens have left.
class token_flow {
 public:
  token_flow(token_calls& calls, std::size_t rooms)
      : calls_{calls},
        tokens_(rooms),
        gates_{std::make_unique<serial_gate[]>(calls.stages())},
        entries_(rooms * calls.stages()) {
    for (std::size_t room = 0; room != rooms; ++room) {
      tokens_[room].flow = this;
      tokens_[room].room = room;
    }
  }
  token_flow(const token_flow&) = delete;
  token_flow& operator=(const token_flow&) = delete;

  /// Runs a batch, on this worker and those that take some of its tokens. Returns when all have left.
  void run(worker& here) noexcept {
    prepare_entries();
    empty_passes_ = 0;
    is_over_.store(false, memory_order_relaxed);  // the pushes release it
    ready_tasks ready{here, &run_taken};
    add(ready, tokens_[0], 0);
    run_all(here, ready);
    // Acquire: pairs with the release in pass_empty.
    here.help_until([this] { return is_over_.load(memory_order_acquire); });
  }

 private:
  struct alignas(kCacheLineBytes) token : pool_task, gate_link {
    token_flow* flow = nullptr;
    std::size_t room = 0;
    std::size_t stage = 0;  // written by the thread that has the token
  };
  struct alignas(kCacheLineBytes) entry {
    atomic<std::uint8_t> waits_for{0};
  };

  static void run_taken(pool_task& task) noexcept {
    auto& self = static_cast<token&>(task);
    worker& here = *worker::current();
    ready_tasks ready{here, &run_taken};
    ready.add(self);
    self.flow->run_all(here, ready);
  }

  void run_all(worker& here, ready_tasks& ready) noexcept {
    for (pool_task* next = ready.first(); next != nullptr; next = ready.next()) {
      auto& now = static_cast<token&>(*next);
      if (now.stage != 0) {
        calls_.call(now.stage, now.room);
      } else if (empty_passes_ != 0 || !calls_.make(now.room)) {
        pass_empty(here, ready, now);
        continue;
      }
      pass_on(ready, now);
    }
  }

  void pass_on(ready_tasks& ready, token& now) noexcept {
    const std::size_t stage = now.stage;
    token* const next = let_next_in(now, stage);
    const std::size_t after = stage + 1 == calls_.stages() ? 0 : stage + 1;
    const bool goes_on = may_enter(now, after);
    // From here on this object may be gone, unless one of the two is to be run.
    if (next != nullptr) {
      add(ready, *next, stage);
    }
    if (goes_on) {
      add(ready, now, after);
    }
  }

  void pass_empty(worker& here, ready_tasks& ready, token& now) noexcept {
    if (++empty_passes_ == tokens_.size()) {
      // Release: pairs with the acquire in run. This object may be gone afterwards.
      is_over_.store(true, memory_order_release);
      here.tell_waiting();
    } else if (token* const next = let_next_in(now, 0)) {
      add(ready, *next, 0);
    }
  }

  static void add(ready_tasks& ready, token& entered, std::size_t stage) noexcept {
    entered.stage = stage;
    ready.add(entered);
  }

  // The token that may enter the stage, as `now` has left it; null: none does yet.
  token* let_next_in(token& now, std::size_t stage) noexcept {
    switch (mode(stage)) {
      case stage_mode::serial_in_order: {
        token& next = tokens_[now.room + 1 == tokens_.size() ? 0 : now.room + 1];
        return is_last_of_two(entry_of(next.room, stage)) ? &next : nullptr;
      }
      case stage_mode::serial_out_of_order:
        return static_cast<token*>(gates_[stage].leave());
      default:
        return nullptr;
    }
  }

  // The token has left the stage before, or, at the first one, its room.
  bool may_enter(token& now, std::size_t stage) noexcept {
    switch (mode(stage)) {
      case stage_mode::serial_in_order:
        return is_last_of_two(entry_of(now.room, stage));
      case stage_mode::serial_out_of_order:
        return gates_[stage].enter(now);
      default:
        return true;
    }
  }

  static bool is_last_of_two(entry& into) noexcept {
    // Release: what this thread's stage wrote; acquire: what the other one's did.
    if (into.waits_for.fetch_sub(1, memory_order_acq_rel) != 1) {
      return false;
    }
    // Relaxed: all that makes the room's next token come here follows from this one's going on.
    into.waits_for.store(2, memory_order_relaxed);
    return true;
  }

  // For the first tokens: none is before the first one, and all rooms are empty. Relaxed: the pushes
  // release it.
  void prepare_entries() noexcept {
    for (std::size_t room = 0; room != tokens_.size(); ++room) {
      for (std::size_t stage = 0; stage != calls_.stages(); ++stage) {
        const bool waits_for_one = stage == 0 ? room != 0 : room == 0;
        // Relaxed: see above.
        entry_of(room, stage).waits_for.store(waits_for_one ? 1 : 2, memory_order_relaxed);
      }
    }
  }

  [[nodiscard]] stage_mode mode(std::size_t stage) const noexcept {
    return stage == 0 ? stage_mode::serial_in_order : calls_.mode(stage);
  }
  [[nodiscard]] entry& entry_of(std::size_t room, std::size_t stage) noexcept {
    return entries_[room * calls_.stages() + stage];
  }

  token_calls& calls_;
  std::vector<token> tokens_;
  std::unique_ptr<serial_gate[]> gates_;  // by stage
  std::vector<entry> entries_;            // by room and stage
  std::size_t empty_passes_ = 0;          // of whoever is in the first stage
  alignas(kCacheLineBytes) atomic<bool> is_over_{false};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
