#include "checker/sc_order.hpp"

#include <bitset>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace model {
namespace {

constexpr std::size_t kMostEvents = 512;
using event_set = std::bitset<kMostEvents>;
using relation = std::vector<event_set>;  // the successors of each

// The events as numbers, and RC11's relations between them.
class relations {
 public:
  explicit relations(const execution_graph& graph) : graph_{graph} {
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      first_[thread] = all_.size();
      for (std::size_t i = 0; i < graph.thread(thread).size(); ++i) {
        all_.push_back({static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(i)});
      }
    }
    if (all_.size() > kMostEvents) {
      std::fprintf(stderr, "model: more than %zu events in one execution\n", kMostEvents);
      std::abort();
    }
  }

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] const event& operator[](std::size_t i) const { return graph_.at(all_[i]); }

  [[nodiscard]] relation happens_before() const {
    return where([&](std::size_t a, std::size_t b) {
      return a != b && (*this)[b].happens_before.holds(all_[a]);
    });
  }

  // Program order between accesses to different locations, or where one is no access.
  [[nodiscard]] relation program_order_elsewhere() const {
    return where([&](std::size_t a, std::size_t b) {
      return is_program_order(a, b) && !same_location(a, b);
    });
  }

  // What may not contradict the one order: scb.
  [[nodiscard]] relation before_in_sc(const relation& hb) const {
    const relation elsewhere = program_order_elsewhere();
    relation scb = modification_order();
    const relation reads_before = from_read();
    for (std::size_t a = 0; a < size(); ++a) {
      scb[a] |= reads_before[a] | successors(elsewhere, successors(hb, elsewhere[a]));
      for (std::size_t b = 0; b < size(); ++b) {
        if (is_program_order(a, b) || (hb[a][b] && same_location(a, b))) {
          scb[a].set(b);
        }
      }
    }
    return scb;
  }

  // Extended coherence order: reads-from, modification order and from-read, transitively.
  [[nodiscard]] relation extended_coherence() const {
    const relation read_by = reads_from();
    relation eco = modification_order();
    const relation from = from_read();
    for (std::size_t a = 0; a < size(); ++a) {
      eco[a] |= from[a];
      eco[a] |= successors(read_by, eco[a]) | read_by[a];
    }
    return eco;
  }

  static event_set successors(const relation& of, const event_set& starts) {
    event_set result;
    for (std::size_t i = starts._Find_first(); i < kMostEvents; i = starts._Find_next(i)) {
      result |= of[i];
    }
    return result;
  }

 private:
  template <class Holds>
  [[nodiscard]] relation where(Holds holds) const {
    relation result(size());
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        result[a][b] = holds(a, b);
      }
    }
    return result;
  }

  [[nodiscard]] std::size_t number(event_id id) const { return first_[id.thread] + id.index; }
  [[nodiscard]] bool is_program_order(std::size_t a, std::size_t b) const {
    return all_[a].thread == all_[b].thread && a < b;
  }
  [[nodiscard]] bool same_location(std::size_t a, std::size_t b) const {
    const event& first = (*this)[a];
    const event& second = (*this)[b];
    return first.is_access() && second.is_access() && first.location == second.location;
  }

  [[nodiscard]] relation modification_order() const {
    relation result(size());
    for_each_write([&](std::size_t write, const event_set& newer) { result[write] = newer; });
    return result;
  }

  [[nodiscard]] relation reads_from() const {
    relation result(size());
    for (std::size_t i = 0; i < size(); ++i) {
      if ((*this)[i].kind == event_kind::read) {
        result[number((*this)[i].writer)].set(i);
      }
    }
    return result;
  }

  // A read is before all writes that are newer than what it read.
  [[nodiscard]] relation from_read() const {
    const relation newer = modification_order();
    relation result(size());
    for (std::size_t i = 0; i < size(); ++i) {
      if ((*this)[i].kind == event_kind::read) {
        result[i] = newer[number((*this)[i].writer)];
      }
    }
    return result;
  }

  template <class Use>
  void for_each_write(Use use) const {
    for (std::size_t location = 0; location < graph_.locations(); ++location) {
      const std::vector<event_id>& writes = graph_.writes(location);
      event_set newer;
      for (std::size_t i = writes.size(); i-- > 0;) {
        use(number(writes[i]), newer);
        newer.set(number(writes[i]));
      }
    }
  }

  const execution_graph& graph_;
  std::vector<event_id> all_;
  std::array<std::size_t, kMaxThreads> first_{};
};

// One of the operations to be ordered.
struct operation {
  std::size_t number;
  bool is_fence;
  order ordering;
  event_set from;    // psc begins at one of these
  event_set to;      // and ends at one of these
  event_set behind;  // happens after it
  event_set ahead;   // happens before it
};

std::vector<operation> ordered_operations(const relations& events, const relation& hb) {
  std::vector<operation> result;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_ordered(events[i].ordering)) {
      continue;
    }
    operation each{.number = i,
                   .is_fence = events[i].kind == event_kind::fence,
                   .ordering = events[i].ordering,
                   .from = {},
                   .to = {},
                   .behind = hb[i],
                   .ahead = {}};
    for (std::size_t a = 0; a < events.size(); ++a) {
      each.ahead[a] = hb[a][i];
    }
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

// Takes away, again and again, what nothing has to come before.
bool is_acyclic(std::vector<event_set> predecessors, std::size_t count) {
  event_set left;
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

}  // namespace

bool has_sc_order(const execution_graph& graph) {
  const relations events{graph};
  const relation hb = events.happens_before();
  const std::vector<operation> operations = ordered_operations(events, hb);
  if (operations.size() < 2) {
    return true;
  }
  const relation scb = events.before_in_sc(hb);
  const relation eco = events.extended_coherence();
  std::vector<event_set> predecessors(operations.size());
  for (std::size_t a = 0; a < operations.size(); ++a) {
    const operation& first = operations[a];
    const event_set base = relations::successors(scb, first.from);
    const event_set fences = relations::successors(eco, first.behind);
    for (std::size_t b = 0; b < operations.size(); ++b) {
      const operation& second = operations[b];
      const bool both_fences = first.is_fence && second.is_fence;
      if (are_ordered(first.ordering, second.ordering) &&
          ((base & second.to).any() ||
           (both_fences && (first.behind[second.number] || (fences & second.ahead).any())))) {
        predecessors[b].set(a);
      }
    }
  }
  return is_acyclic(std::move(predecessors), operations.size());
}

}  // namespace model
