// SPDX-License-Identifier: Apache-2.0
#include "checker/sc_order.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace model {
namespace {

constexpr std::size_t kMostEvents = 512;

// Per thread the index of an event: it and all later ones of its thread; behind the last one: none.
using later_events = std::array<std::size_t, kMaxThreads>;

// The events as numbers, and the sets that RC11's relations reach from sets of them. Sets instead
// of whole relations, because only a few events have to be ordered. What happens after an event of
// one thread is in each thread all from some event on, since a thread does not forget: it is found
// by bisection. `Size`: at least the number of events.
template <std::size_t Size>
class relations {
 public:
  using event_set = std::bitset<Size>;

  explicit relations(const execution_graph& graph) : graph_(graph), on_(graph.locations()) {
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      first_[thread] = all_.size();
      for (const event& each : graph.thread(thread)) {
        all_.push_back(&each);
      }
      first_[thread + 1] = all_.size();
    }
    newer_.resize(size());
    read_by_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      if (all_[i]->is_access()) {
        on_[all_[i]->location].set(i);
      }
      if (all_[i]->kind == event_kind::read) {
        read_by_[number(all_[i]->writer)].set(i);
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
  [[nodiscard]] event_set ahead(std::size_t i) const {
    event_set result;
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      result |= between(first_[thread], first_[thread] + all_[i]->happens_before.of(thread));
    }
    return result.reset(i);
  }
  [[nodiscard]] event_set behind(std::size_t i) const { return behind_any(event_set{}.set(i)); }

  // The events that cannot precede one of these in the single order: scb. From program order, from
  // happens-before at one location and between two steps of program order to another location (or
  // if one is not an access), from modification order and from-read.
  [[nodiscard]] event_set after_in_sc(const event_set& starts) const {
    return newer_than(starts) | program_order(starts) | behind_at_a_location(starts) |
           program_order_elsewhere(behind_any(program_order_elsewhere(starts)));
  }

  // Extended coherence order: modification order, from-read and reads-from, transitively.
  [[nodiscard]] event_set coherent_after(const event_set& starts) const {
    const event_set newer = newer_than(starts);
    event_set result = newer;
    for_each_of(starts | newer, [&](std::size_t i) { result |= read_by_[i]; });
    return result;
  }

 private:
  template <class Use>
  static void for_each_of(const event_set& events, Use use) {
    for (std::size_t i = events._Find_first(); i < Size; i = events._Find_next(i)) {
      use(i);
    }
  }
  // Uses the first of these events in each thread that has one.
  template <class Use>
  void for_each_first(const event_set& events, Use use) const {
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      const std::size_t first = next_of(events, first_[thread]);
      if (first < first_[thread + 1]) {
        use(thread, first);
      }
    }
  }

  [[nodiscard]] std::size_t number(event_id id) const { return first_[id.thread] + id.index; }

  // The first of these events from number `begin` on.
  [[nodiscard]] static std::size_t next_of(const event_set& events, std::size_t begin) {
    return begin == 0 ? events._Find_first() : events._Find_next(begin - 1);
  }
  [[nodiscard]] static event_set between(std::size_t begin, std::size_t end) {
    static const std::vector<event_set> below = [] {
      std::vector<event_set> sets(Size + 1);
      for (std::size_t i = 0; i < Size; ++i) {
        sets[i + 1] = event_set{sets[i]}.set(i);
      }
      return sets;
    }();
    return below[end] ^ below[begin];
  }

  [[nodiscard]] event_set program_order(const event_set& starts) const {
    event_set result;
    for_each_first(starts, [&](std::size_t thread, std::size_t first) {
      result |= between(first + 1, first_[thread + 1]);
    });
    return result;
  }
  // Program order but between accesses to one location: behind the first start all, except, up to
  // the first start elsewhere, the accesses to its location.
  [[nodiscard]] event_set program_order_elsewhere(const event_set& starts) const {
    event_set result;
    for_each_first(starts, [&](std::size_t thread, std::size_t first) {
      const std::size_t end = first_[thread + 1];
      event_set later = between(first + 1, end);
      if (all_[first]->is_access()) {
        const event_set& here = on_[all_[first]->location];
        const std::size_t elsewhere = next_of(starts & ~here, first + 1);
        later &= ~(here & between(first + 1, std::min(elsewhere, end)));
      }
      result |= later;
    });
    return result;
  }

  // What happens after one of these.
  [[nodiscard]] event_set behind_any(const event_set& starts) const {
    later_events from = first_of_none();
    for_each_first(starts, [&](std::size_t thread, std::size_t first) {
      const std::size_t index = first - first_[thread];
      for (std::size_t other = 0; other < kMaxThreads; ++other) {
        const std::size_t later = other == thread ? index + 1 : knows(other, thread, index);
        from[other] = std::min(from[other], later);
      }
    });
    event_set result;
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      result |= between(first_[thread] + from[thread], first_[thread + 1]);
    }
    return result;
  }
  [[nodiscard]] later_events first_of_none() const {
    later_events none{};
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      none[thread] = graph_.thread(thread).size();
    }
    return none;
  }
  // The index of the first event of a thread that happens after the event of another thread.
  [[nodiscard]] std::size_t knows(std::size_t thread, std::size_t other, std::size_t index) const {
    const std::vector<event>& events = graph_.thread(thread);
    const auto found = std::partition_point(events.begin(), events.end(), [&](const event& each) {
      return each.happens_before.of(other) <= index;
    });
    return static_cast<std::size_t>(found - events.begin());
  }

  // What happens after one of these, and is at its location.
  [[nodiscard]] event_set behind_at_a_location(event_set starts) const {
    event_set result;
    for (std::size_t i = starts._Find_first(); i < Size; i = starts._Find_next(i)) {
      if (all_[i]->is_access()) {
        const event_set& here = on_[all_[i]->location];
        result |= behind_any(starts & here) & here;
        starts &= ~here;
      }
    }
    return result;
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

  const execution_graph& graph_;
  std::vector<const event*> all_;
  std::array<std::size_t, kMaxThreads + 1> first_{};  // of each thread; then the number of events
  std::vector<event_set> on_;                         // by location: the accesses to it
  std::vector<event_set> newer_, read_by_;
};

// An operation that has to be ordered.
template <class EventSet>
struct operation {
  std::size_t number;
  bool is_fence;
  order ordering;
  EventSet from;    // psc begins at one of these
  EventSet to;      // and ends at one of these
  EventSet behind;  // happens after it, if it is a fence
  EventSet ahead;   // happens before it, likewise
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
                                      .behind = {},
                                      .ahead = {}};
    each.from.set(i);
    each.to.set(i);
    if (each.is_fence) {
      each.behind = events.behind(i);
      each.ahead = events.ahead(i);
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
