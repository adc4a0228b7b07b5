// SPDX-License-Identifier: Apache-2.0
#include "checker/sc_order.hpp"

#include <bitset>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace model {
namespace {

constexpr std::size_t kMostEvents = 512;

// The events as numbers, and the sets that RC11's relations reach from sets of them. Sets instead
// of whole relations, because only a few events have to be ordered. `Size`: at least the number of
// events.
template <std::size_t Size>
class relations {
 public:
  using event_set = std::bitset<Size>;

  explicit relations(const execution_graph& graph) : on_(graph.locations()) {
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      first_[thread] = all_.size();
      for (const event& each : graph.thread(thread)) {
        all_.push_back(&each);
      }
    }
    below_.resize(size() + 1);
    for (std::size_t i = 0; i < size(); ++i) {
      below_[i + 1] = below_[i];
      below_[i + 1].set(i);
    }
    newer_.resize(size());
    ahead_.resize(size());
    program_ahead_.resize(size());
    read_by_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (all_[i]->is_access()) {
        on_[all_[i]->location].set(i);
      }
    }
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      for (std::size_t i = 0; i < graph.thread(thread).size(); ++i) {
        look_behind(thread, first_[thread] + i);
      }
    }
    for (std::size_t location = 0; location < graph.locations(); ++location) {
      const std::vector<event_id>& writes = graph.writes(location);
      event_set newer;
      for (std::size_t i = writes.size(); i-- > 0;) {
        newer_[number(writes[i])] = newer;
        newer.set(number(writes[i]));
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] const event& operator[](std::size_t i) const { return *all_[i]; }

  // The events that happen before an event, and after it.
  [[nodiscard]] const event_set& ahead(std::size_t i) const { return ahead_[i]; }
  [[nodiscard]] event_set behind(std::size_t i) const {
    return where([&](std::size_t each) { return ahead_[each][i]; });
  }

  // The events that cannot precede one of these in the single order: scb. From program order, from
  // happens-before at one location and between two steps of program order to another location (or
  // if one is not an access), from modification order and from-read.
  [[nodiscard]] event_set after_in_sc(const event_set& starts) const {
    const event_set elsewhere = program_order_elsewhere(starts);
    const event_set known = where([&](std::size_t i) { return (ahead_[i] & elsewhere).any(); });
    return newer_than(starts) | program_order_elsewhere(known) | where([&](std::size_t i) {
             return (program_ahead_[i] & starts).any() ||
                    (all_[i]->is_access() && (ahead_[i] & on_[all_[i]->location] & starts).any());
           });
  }

  // Extended coherence order: modification order, from-read and reads-from, transitively.
  [[nodiscard]] event_set coherent_after(const event_set& starts) const {
    const event_set newer = newer_than(starts);
    event_set result = newer;
    for_each_of(starts | newer, [&](std::size_t i) { result |= read_by_[i]; });
    return result;
  }

 private:
  template <class Holds>
  [[nodiscard]] event_set where(Holds holds) const {
    event_set result;
    for (std::size_t i = 0; i < size(); ++i) {
      result[i] = holds(i);
    }
    return result;
  }
  template <class Use>
  static void for_each_of(const event_set& events, Use use) {
    for (std::size_t i = events._Find_first(); i < Size; i = events._Find_next(i)) {
      use(i);
    }
  }

  [[nodiscard]] std::size_t number(event_id id) const { return first_[id.thread] + id.index; }

  void look_behind(std::size_t thread, std::size_t i) {
    const event& each = *all_[i];
    for (std::size_t other = 0; other < kMaxThreads; ++other) {
      ahead_[i] |= beginning(other, each.happens_before.of(other));
    }
    ahead_[i].reset(i);
    program_ahead_[i] = beginning(thread, i - first_[thread]);
    if (each.kind == event_kind::read) {
      read_by_[number(each.writer)].set(i);
    }
  }
  // The first events of a thread.
  [[nodiscard]] event_set beginning(std::size_t thread, std::size_t count) const {
    return below_[first_[thread] + count] ^ below_[first_[thread]];
  }

  [[nodiscard]] event_set program_order_elsewhere(const event_set& starts) const {
    return where([&](std::size_t i) {
      const event_set before = program_ahead_[i] & starts;
      return (all_[i]->is_access() ? before & ~on_[all_[i]->location] : before).any();
    });
  }

  // Writes that are newer than one of these, or than the write that one of these has read.
  [[nodiscard]] event_set newer_than(const event_set& starts) const {
    event_set result;
    for_each_of(starts, [&](std::size_t i) {
      const bool reads = all_[i]->kind == event_kind::read;
      result |= newer_[reads ? number(all_[i]->writer) : i];
    });
    return result;
  }

  std::vector<const event*> all_;
  std::array<std::size_t, kMaxThreads> first_{};
  std::vector<event_set> below_;  // by number: all of smaller ones
  std::vector<event_set> on_;     // by location: the accesses to it
  std::vector<event_set> newer_, ahead_, program_ahead_, read_by_;
};

// An operation that has to be ordered.
template <class EventSet>
struct operation {
  std::size_t number;
  bool is_fence;
  order ordering;
  EventSet from;    // psc begins at one of these
  EventSet to;      // and ends at one of these
  EventSet behind;  // happens after it
  EventSet ahead;   // happens before it
};

template <std::size_t Size>
std::vector<operation<std::bitset<Size>>> ordered_operations(const relations<Size>& events) {
  std::vector<operation<std::bitset<Size>>> result;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_ordered(events[i].ordering)) {
      continue;
    }
    operation<std::bitset<Size>> each{.number = i,
                                      .is_fence = events[i].kind == event_kind::fence,
                                      .ordering = events[i].ordering,
                                      .from = {},
                                      .to = {},
                                      .behind = events.behind(i),
                                      .ahead = events.ahead(i)};
    each.from.set(i);
    each.to.set(i);
    if (each.is_fence) {
      each.from |= each.behind;
      each.to |= each.ahead;
    }
    result.push_back(each);
  }
  return result;
}

// Repeatedly removes the operations that have no predecessor left.
template <class OperationSet>
bool is_acyclic(const std::vector<OperationSet>& predecessors) {
  const std::size_t count = predecessors.size();
  OperationSet left;
  for (std::size_t i = 0; i < count; ++i) {
    left.set(i);
  }
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = left._Find_first(); i < count; i = left._Find_next(i)) {
      if ((predecessors[i] & left).none()) {
        left.reset(i);
        found = true;
      }
    }
  }
  return left.none();
}

template <std::size_t Size>
bool has_sc_order_of(const execution_graph& graph) {
  const relations<Size> events{graph};
  const auto operations = ordered_operations(events);
  std::vector<std::bitset<Size>> predecessors(operations.size());
  for (std::size_t a = 0; a < operations.size(); ++a) {
    const auto& first = operations[a];
    const auto after = events.after_in_sc(first.from);
    const auto fences = events.coherent_after(first.behind);
    for (std::size_t b = 0; b < operations.size(); ++b) {
      const auto& second = operations[b];
      const bool both_fences = first.is_fence && second.is_fence;
      if (are_ordered(first.ordering, second.ordering) &&
          ((after & second.to).any() ||
           (both_fences && (first.behind[second.number] || (fences & second.ahead).any())))) {
        predecessors[b].set(a);
      }
    }
  }
  return is_acyclic(predecessors);
}

std::size_t count_ordered(const execution_graph& graph) {
  std::size_t count = 0;
  for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
    for (const event& each : graph.thread(thread)) {
      count += is_ordered(each.ordering) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

bool has_sc_order(const execution_graph& graph) {
  if (count_ordered(graph) < 2) {
    return true;
  }
  const std::size_t events = graph.size();
  if (events <= 64) {
    return has_sc_order_of<64>(graph);
  }
  if (events <= 128) {
    return has_sc_order_of<128>(graph);
  }
  if (events <= 256) {
    return has_sc_order_of<256>(graph);
  }
  if (events <= kMostEvents) {
    return has_sc_order_of<kMostEvents>(graph);
  }
  std::fprintf(stderr, "model: more than %zu events in one execution\n", kMostEvents);
  std::abort();
}

}  // namespace model
