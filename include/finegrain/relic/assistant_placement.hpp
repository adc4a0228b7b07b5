// The assistant's CPU: claimed, pinned to, and changed when the main thread moves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "finegrain/core/errors.hpp"
#include "finegrain/host/affinity.hpp"
#include "finegrain/host/cpu_registry.hpp"
#include "finegrain/host/host_view.hpp"
#include "finegrain/host/placement.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// Holds a relic's entry in the process's registry, pins the assistant, and moves it when the main
/// thread has moved. For the main thread.
class assistant_placement {
 public:
  /// `wanted`: the CPU that the user named; without it the nearest free one is chosen. If the
  /// system does not report on which CPU a thread runs, the assistant is not pinned.
  explicit assistant_placement(std::optional<int> wanted) {
    const int main_cpu = current_cpu();
    if (wanted) {
      where_ = named(host_, main_cpu, *wanted);
      claim_ = cpu_registry::of_process().claim(main_cpu, *wanted);
    } else if (main_cpu < 0) {
      where_.reason = kWhyNotPinned != nullptr ? kWhyNotPinned : "main's CPU unknown";
      inline_reason_ = why_inline(host_, allowed_cpus());
    } else {
      auto claimed =
          cpu_registry::of_process().claim_placement(system_host_view(), allowed_cpus(), main_cpu);
      where_ = std::move(claimed.where);
      claim_ = std::move(claimed.claim);
      follows_ = where_.assistant_cpu.has_value();
      if (!follows_) {
        inline_reason_ = where_.reason;
      }
    }
  }

  [[nodiscard]] const placement& where() const noexcept { return where_; }

  /// Why there should be no assistant; empty if there should.
  [[nodiscard]] const std::string& inline_reason() const noexcept { return inline_reason_; }

  /// Pins `assistant` to its CPU. Returns why on failure.
  [[nodiscard]] std::error_code settle(std::thread& assistant) const {
    return where_.assistant_cpu ? pin_thread(assistant, *where_.assistant_cpu) : std::error_code{};
  }

  /// There is no assistant after all: releases its CPU for others.
  void give_up() noexcept {
    claim_.release();
    abandon();
  }

  /// The same for a forked child: without the registry, perhaps the parent's copy, locked forever.
  void abandon() noexcept {
    where_.assistant_cpu.reset();
    follows_ = false;
  }

  /// If the main thread is on another CPU than at the last choice, chooses again, and moves
  /// `assistant` if another place is nearer now. True if it moved. One cheap call; some
  /// microseconds when the main thread has moved. A place that the user named stays.
  bool follow(std::thread& assistant) noexcept {
    if (!follows_) {
      return false;
    }
    const int main_cpu = current_cpu();
    if (main_cpu == where_.main_cpu) {
      return false;
    }
    FINEGRAIN_TRY { return move_to(main_cpu, assistant); }
    FINEGRAIN_CATCH(...) {  // out of memory: it stays where it is
      return false;
    }
  }

 private:
  static placement named(const host_view& host, int main_cpu, int assistant_cpu) {
    const logical_cpu* const main = host.cpus->find(main_cpu);
    const logical_cpu* const assistant = host.cpus->find(assistant_cpu);
    placement where{.main_cpu = main_cpu, .assistant_cpu = assistant_cpu, .reason = "asked for"};
    if (main != nullptr && assistant != nullptr && main != assistant) {
      where.kind = proximity_of(*main, *assistant);
    }
    return where;
  }

  bool move_to(int main_cpu, std::thread& assistant) {
    placement next =
        cpu_registry::of_process().choose_again(claim_, host_, allowed_cpus(), main_cpu);
    if (!next.assistant_cpu) {
      where_.main_cpu = main_cpu;
      where_.reason = "the main thread has moved, and the assistant stays: " + next.reason;
      return false;
    }
    const bool moves = next.assistant_cpu != where_.assistant_cpu;
    if (moves && pin_thread(assistant, *next.assistant_cpu)) {
      claim_ = cpu_registry::of_process().claim(main_cpu, where_.assistant_cpu.value_or(-1));
      where_.main_cpu = main_cpu;
      where_.reason = "the main thread has moved, and the system refuses the assistant CPU " +
                      std::to_string(*next.assistant_cpu);
      return false;
    }
    where_ = std::move(next);
    return moves;
  }

  host_view host_ = system_host_view();  // read at construction: reading the quota takes 0.1 ms
  placement where_;
  cpu_claim claim_;
  bool follows_ = false;
  std::string inline_reason_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
