// The events of an execution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>

#include "checker/order.hpp"

namespace model {

/// The threads of a scenario, including its main thread (number 0).
inline constexpr std::size_t kMaxThreads = 6;

using word = std::uint64_t;

/// The position of an event: its thread, and its index there.
struct event_id {
  std::uint16_t thread = 0;
  std::uint16_t index = 0;

  friend bool operator==(event_id, event_id) = default;
};

/// A set of events that contains, with each event, all earlier ones of its thread: a count per
/// thread.
class clock {
 public:
  [[nodiscard]] bool holds(event_id event) const noexcept {
    return count_[event.thread] > event.index;
  }
  [[nodiscard]] std::uint16_t of(std::size_t thread) const noexcept { return count_[thread]; }

  void join(const clock& other) noexcept {
    for (std::size_t i = 0; i < kMaxThreads; ++i) {
      count_[i] = std::max(count_[i], other.count_[i]);
    }
  }
  /// With `event`, the next one of its thread.
  void add(event_id event) noexcept {
    count_[event.thread] = static_cast<std::uint16_t>(event.index + 1);
  }

 private:
  std::array<std::uint16_t, kMaxThreads> count_{};
};

/// A read-modify-write is two consecutive events, a read and a write, both `exclusive`.
enum class event_kind : std::uint8_t {
  construct,  ///< an atomic object begins: its first value
  read,
  write,
  fence,
  choice,  ///< the program's own nondeterminism
  mark     ///< a thread begins or ends, or all are joined
};

struct event {
  event_kind kind = event_kind::mark;
  order ordering = order::relaxed;
  bool exclusive = false;
  bool system = false;         ///< on a queue of the system's sleepers: it orders nothing else
  std::uint16_t location = 0;  ///< of an access, in execution_graph::locations
  event_id writer{};           ///< of a read: whose value it has
  word value = 0;              ///< of an access or a choice
  std::uint32_t stamp = 0;     ///< when it was added: later ones have greater stamps
  clock floor{};               ///< of a read: it reads nothing older than this includes
  clock happens_before{};      ///< and itself
  clock prefix{};              ///< program order and reads-from, both transitively; and itself
  clock released{};            ///< of a write: what a thread that acquires it learns
  std::source_location where{};

  [[nodiscard]] bool is_access() const noexcept { return kind <= event_kind::write; }
  [[nodiscard]] bool writes() const noexcept {
    return kind == event_kind::construct || kind == event_kind::write;
  }
};

}  // namespace model
