// SPDX-License-Identifier: Apache-2.0
#include "checker/execution_graph.hpp"

#include <algorithm>

namespace model {

std::size_t execution_graph::size() const noexcept {
  std::size_t sum = 0;
  for (const std::vector<event>& events : threads_) {
    sum += events.size();
  }
  return sum;
}

std::size_t execution_graph::position(event_id write) const noexcept {
  const std::vector<event_id>& all = writes(at(write).location);
  return static_cast<std::size_t>(std::ranges::find(all, write) - all.begin());
}

void execution_graph::append(std::size_t thread, event what) {
  what.stamp = next_stamp_++;
  const event_id id{static_cast<std::uint16_t>(thread),
                    static_cast<std::uint16_t>(threads_[thread].size())};
  threads_[thread].push_back(what);
  if (what.kind == event_kind::read) {
    locations_[what.location].reads.push_back(id);
  }
}

void execution_graph::place_write(event_id write, std::size_t position) {
  std::vector<event_id>& all = locations_[at(write).location].writes;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(position), write);
}

std::size_t execution_graph::oldest_visible(std::size_t location,
                                            const clock& happens_before) const noexcept {
  const std::vector<event_id>& all = writes(location);
  std::size_t oldest = all.size() - 1;
  while (oldest > 0 && !happens_before.holds(all[oldest])) {
    --oldest;
  }
  for (const event_id read : reads(location)) {
    if (happens_before.holds(read)) {
      oldest = std::max(oldest, position(at(read).writer));
    }
  }
  return oldest;
}

bool execution_graph::may_be_placed(std::size_t location, std::size_t position) const noexcept {
  const std::vector<event_id>& all = writes(location);
  if (position == all.size() || position == 0) {
    return position != 0;
  }
  const event_id next = all[position];
  if (!at(next).exclusive) {
    return true;
  }
  const event& its_read = threads_[next.thread][next.index - 1U];
  return its_read.writer != all[position - 1];
}

execution_graph execution_graph::revisited(event_id read, event_id write, const clock& kept) const {
  execution_graph result = *this;
  const std::uint32_t limit = at(read).stamp;
  const auto is_kept = [&](event_id id) { return kept.holds(id) || at(id).stamp <= limit; };
  for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
    std::vector<event>& events = result.threads_[thread];
    while (!events.empty() && !is_kept({static_cast<std::uint16_t>(thread),
                                        static_cast<std::uint16_t>(events.size() - 1)})) {
      events.pop_back();
    }
  }
  for (location& each : result.locations_) {
    std::erase_if(each.writes, [&](event_id id) { return !is_kept(id); });
    std::erase_if(each.reads, [&](event_id id) { return !is_kept(id); });
  }
  result.at(read).writer = write;
  return result;
}

}  // namespace model
