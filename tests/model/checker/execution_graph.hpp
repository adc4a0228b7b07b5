// A whole or partial execution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/event.hpp"

namespace model {

/// Events by thread in program order, the write that each read has read, and for each atomic object
/// the order of its writes (modification order). It determines what the threads did.
class execution_graph {
 public:
  [[nodiscard]] const std::vector<event>& thread(std::size_t number) const noexcept {
    return threads_[number];
  }
  [[nodiscard]] event& at(event_id id) noexcept { return threads_[id.thread][id.index]; }
  [[nodiscard]] const event& at(event_id id) const noexcept {
    return threads_[id.thread][id.index];
  }
  [[nodiscard]] bool has(event_id id) const noexcept {
    return id.index < threads_[id.thread].size();
  }
  [[nodiscard]] std::size_t size() const noexcept;

  /// Writes to a location, oldest first; the first one is its construction.
  [[nodiscard]] const std::vector<event_id>& writes(std::size_t location) const noexcept {
    return locations_[location].writes;
  }
  [[nodiscard]] const std::vector<event_id>& reads(std::size_t location) const noexcept {
    return locations_[location].reads;
  }
  [[nodiscard]] std::size_t locations() const noexcept { return locations_.size(); }
  /// Position of a write among its location's.
  [[nodiscard]] std::size_t position(event_id write) const noexcept;
  [[nodiscard]] bool is_newest(event_id write) const noexcept {
    return writes(at(write).location).back() == write;
  }

  // ---- growing ----

  std::uint16_t add_location() {
    locations_.emplace_back();
    return static_cast<std::uint16_t>(locations_.size() - 1);
  }
  /// Appends the event to its thread, with a stamp. A write or construction has to be placed, too.
  void append(std::size_t thread, event what);
  void place_write(event_id write, std::size_t position);

  // ---- RC11's coherence and atomicity, for the event that is added last ----

  /// The oldest write, by position, that an event which knows `happens_before` may read; its own
  /// write has to be placed after it.
  [[nodiscard]] std::size_t oldest_visible(std::size_t location,
                                           const clock& happens_before) const noexcept;
  /// Whether the read's value is allowed.
  [[nodiscard]] bool reads_visible(event_id read) const noexcept {
    const event& what = at(read);
    return position(what.writer) >= oldest_visible(what.location, what.floor);
  }
  /// Whether no read-modify-write has read position - 1 and written position.
  [[nodiscard]] bool may_be_placed(std::size_t location, std::size_t position) const noexcept;

  // ---- the backward step ----

  /// This graph without the events that were added after `read` and are not in `kept`, with `read`
  /// reading from `write`. Requires: `write` is in `kept`.
  [[nodiscard]] execution_graph revisited(event_id read, event_id write, const clock& kept) const;

 private:
  struct location {
    std::vector<event_id> writes;
    std::vector<event_id> reads;
  };

  std::array<std::vector<event>, kMaxThreads> threads_;
  std::vector<location> locations_;
  std::uint32_t next_stamp_ = 0;
};

}  // namespace model
