// Compares the checker with the definition of its memory model: random small programs, whose
// executions are also counted by trying all candidates and keeping those that RC11's axioms allow.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "checker/order.hpp"
#include "checker/scenario.hpp"
#include "finegrain/core/atomic.hpp"
#include "finegrain/wait/asymmetric_fence.hpp"

namespace {

using model::order;

// ---- programs ----

enum class action_kind : std::uint8_t { load, store, exchange, fence };

struct action {
  action_kind kind;
  order ordering;
  std::size_t location;
  int value;  // of a store or exchange: all different
};

constexpr std::size_t kLocations = 2;

using program = std::vector<std::vector<action>>;

constexpr std::size_t kActions = 7;

class random_source {
 public:
  explicit random_source(std::uint32_t seed) : engine_{seed} {}
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  order one_of(std::initializer_list<order> orders) { return orders.begin()[below(orders.size())]; }

 private:
  std::mt19937 engine_;
};

action random_action(random_source& random, int value) {
  const std::size_t location = random.below(kLocations);
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return {action_kind::load, random.one_of({order::relaxed, order::acquire, order::seq_cst}),
              location, 0};
    case 3:
    case 4:
    case 5:
      return {action_kind::store, random.one_of({order::relaxed, order::release, order::seq_cst}),
              location, value};
    case 6:
      return {action_kind::exchange,
              random.one_of(
                  {order::relaxed, order::acquire, order::release, order::acq_rel, order::seq_cst}),
              location, value};
    default:
      return {action_kind::fence,
              random.one_of({order::acquire, order::release, order::acq_rel, order::seq_cst,
                             order::seq_cst, order::light, order::heavy}),
              0, 0};
  }
}

program random_program(random_source& random) {
  program result(2 + random.below(2));
  int value = 0;
  for (std::size_t i = 0; i < kActions; ++i) {
    result[i % result.size()].push_back(random_action(random, ++value));
  }
  return result;
}

std::string text_of(const program& of) {
  constexpr const char* kNames[]{"load", "store", "exchange", "fence"};
  std::string text;
  for (const std::vector<action>& thread : of) {
    text += "thread\n";
    for (const action& each : thread) {
      text += std::string{"  "} + kNames[static_cast<std::size_t>(each.kind)] + ' ' +
              name_of(each.ordering) + " object " + std::to_string(each.location) + " value " +
              std::to_string(each.value) + '\n';
    }
  }
  return text;
}

// What the loads and exchanges have read, by thread; and the number of executions.
struct behaviour {
  std::set<std::vector<int>> values;
  std::uint64_t executions = 0;
};

// ---- the checker's result ----

void perform(const action& what, fg::atomic<int>* objects, std::vector<int>& seen) {
  static constexpr fg::memory_order kOrders[]{fg::memory_order_relaxed, fg::memory_order_acquire,
                                              fg::memory_order_release, fg::memory_order_acq_rel,
                                              fg::memory_order_seq_cst};
  const auto ordering = [&] { return kOrders[static_cast<std::size_t>(what.ordering)]; };
  fg::atomic<int>& object = objects[what.location];
  switch (what.kind) {
    case action_kind::load:
      seen.push_back(object.load(ordering()));
      break;
    case action_kind::store:
      object.store(what.value, ordering());
      break;
    case action_kind::exchange:
      seen.push_back(object.exchange(what.value, ordering()));
      break;
    case action_kind::fence:
      if (what.ordering == order::light) {
        fg::detail::asymmetric_fence::light_fence();
      } else if (what.ordering == order::heavy) {
        fg::detail::asymmetric_fence::heavy_fence();
      } else {
        fg::thread_fence(ordering());
      }
  }
}

behaviour explored(const program& of) {
  behaviour result;
  model::explorer explorer;
  const model::outcome outcome = explorer.explore(
      [&] {
        fg::atomic<int> objects[kLocations]{0, 0};
        std::array<std::vector<int>, 3> seen;
        const auto thread = [&](std::size_t number) {
          return [&, number] {
            for (std::size_t i = 0; number < of.size() && i < of[number].size(); ++i) {
              perform(of[number][i], objects, seen[number]);
            }
          };
        };
        model::run_threads(thread(0), thread(1), thread(2));
        explorer.outside([&] {
          std::vector<int> all;
          for (const std::vector<int>& each : seen) {
            all.insert(all.end(), each.begin(), each.end());
          }
          result.values.insert(all);
        });
      },
      {});
  EXPECT_EQ(outcome.violation, "");
  result.executions = outcome.executions;
  return result;
}

// ---- the axioms' result ----

constexpr std::size_t kMostEvents = 32;

// A relation between events: the successors of each as bits.
class relation {
 public:
  explicit relation(std::size_t events) : events_{events} {}

  [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return (rows_[a] >> b & 1U) != 0; }
  void add(std::size_t a, std::size_t b) { rows_[a] |= std::uint32_t{1} << b; }

  friend bool operator==(const relation&, const relation&) = default;

  friend relation operator|(relation a, const relation& b) {
    for (std::size_t i = 0; i < a.events_; ++i) {
      a.rows_[i] |= b.rows_[i];
    }
    return a;
  }
  // Composition of two relations.
  friend relation operator*(const relation& a, const relation& b) {
    relation result{a.events_};
    for (std::size_t i = 0; i < a.events_; ++i) {
      for (std::size_t j = 0; j < a.events_; ++j) {
        if (a.has(i, j)) {
          result.rows_[i] |= b.rows_[j];
        }
      }
    }
    return result;
  }
  [[nodiscard]] relation inverse() const {
    return where([this](std::size_t a, std::size_t b) { return has(b, a); });
  }
  [[nodiscard]] relation or_same() const {
    relation result = *this;
    for (std::size_t i = 0; i < events_; ++i) {
      result.add(i, i);
    }
    return result;
  }
  [[nodiscard]] relation transitive() const {
    relation result = *this;
    for (std::size_t through = 0; through < events_; ++through) {
      for (std::size_t i = 0; i < events_; ++i) {
        result.rows_[i] |= result.has(i, through) ? result.rows_[through] : 0;
      }
    }
    return result;
  }
  [[nodiscard]] bool is_irreflexive() const {
    for (std::size_t i = 0; i < events_; ++i) {
      if (has(i, i)) {
        return false;
      }
    }
    return true;
  }
  template <class Holds>
  [[nodiscard]] relation where(Holds holds) const {
    relation result{events_};
    for (std::size_t a = 0; a < events_; ++a) {
      for (std::size_t b = 0; b < events_; ++b) {
        if (holds(a, b)) {
          result.add(a, b);
        }
      }
    }
    return result;
  }

 private:
  std::size_t events_;
  std::array<std::uint32_t, kMostEvents> rows_{};
};

struct axiom_event {
  enum class kind : std::uint8_t { read, write, fence } what;
  std::size_t thread;  // 0: the initial writes
  order ordering;
  std::size_t location;
  int value;
  bool is_exchange;
};

class candidate_executions {
 public:
  explicit candidate_executions(const program& of) : initial_{events_of(of)} {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].what == axiom_event::kind::read) {
        reads_.push_back(i);
      }
    }
  }

  behaviour allowed() {
    std::array<std::vector<std::size_t>, kLocations> orders;
    for (std::size_t location = 0; location < kLocations; ++location) {
      for (std::size_t i = initial_; i < events_.size(); ++i) {
        if (is_write(i) && events_[i].location == location) {
          orders[location].push_back(i);
        }
      }
    }
    do {
      do {
        read_from_all(orders, 0);
      } while (std::ranges::next_permutation(orders[1]).found);
    } while (std::ranges::next_permutation(orders[0]).found);
    return result_;
  }

 private:
  std::size_t events_of(const program& of) {
    for (std::size_t location = 0; location < kLocations; ++location) {
      events_.push_back({axiom_event::kind::write, 0, order::relaxed, location, 0, false});
    }
    for (std::size_t thread = 0; thread < of.size(); ++thread) {
      for (const action& each : of[thread]) {
        const bool exchanges = each.kind == action_kind::exchange;
        if (each.kind == action_kind::fence) {
          events_.push_back({axiom_event::kind::fence, thread + 1, each.ordering, 0, 0, false});
        }
        if (each.kind == action_kind::load || exchanges) {
          events_.push_back(
              {axiom_event::kind::read, thread + 1, each.ordering, each.location, 0, exchanges});
        }
        if (each.kind == action_kind::store || exchanges) {
          events_.push_back({axiom_event::kind::write, thread + 1, each.ordering, each.location,
                             each.value, exchanges});
        }
      }
    }
    return kLocations;
  }

  [[nodiscard]] bool is_write(std::size_t i) const {
    return events_[i].what == axiom_event::kind::write;
  }
  [[nodiscard]] bool is_read(std::size_t i) const {
    return events_[i].what == axiom_event::kind::read;
  }
  [[nodiscard]] bool is_fence(std::size_t i) const {
    return events_[i].what == axiom_event::kind::fence;
  }

  void read_from_all(const std::array<std::vector<std::size_t>, kLocations>& orders,
                     std::size_t next) {
    if (next == reads_.size()) {
      keep_if_allowed(orders);
      return;
    }
    const std::size_t read = reads_[next];
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (is_write(i) && events_[i].location == events_[read].location) {
        from_[read] = i;
        read_from_all(orders, next + 1);
      }
    }
  }

  void keep_if_allowed(const std::array<std::vector<std::size_t>, kLocations>& orders) {
    const relation none{events_.size()};
    const relation sb = none.where([&](std::size_t a, std::size_t b) {
      return (events_[a].thread == events_[b].thread && a < b && events_[a].thread != 0) ||
             (events_[a].thread == 0 && events_[b].thread != 0);
    });
    relation rf = none;
    for (const std::size_t read : reads_) {
      rf.add(from_[read], read);
    }
    relation mo = none;
    for (std::size_t location = 0; location < kLocations; ++location) {
      for (std::size_t i = 0; i < orders[location].size(); ++i) {
        mo.add(location, orders[location][i]);
        for (std::size_t j = i + 1; j < orders[location].size(); ++j) {
          mo.add(orders[location][i], orders[location][j]);
        }
      }
    }
    if (is_allowed(sb, rf, mo)) {
      ++result_.executions;
      std::vector<int> values;
      values.reserve(reads_.size());
      for (const std::size_t read : reads_) {
        values.push_back(events_[from_[read]].value);
      }
      result_.values.insert(values);
    }
  }

  // RC11, sections 3 and 4 of the paper, relation by relation.
  [[nodiscard]] bool is_allowed(const relation& sb, const relation& rf, const relation& mo) const {
    const relation none{events_.size()};
    const auto where = [&](auto holds) { return none.where(holds); };
    const auto only = [&](auto holds) {
      return where([=](std::size_t a, std::size_t b) { return a == b && holds(a); });
    };
    const relation fr =
        (rf.inverse() * mo).where([&, both = rf.inverse() * mo](std::size_t a, std::size_t b) {
          return a != b && both.has(a, b);
        });
    const relation eco = (rf | mo | fr).transitive();
    const relation rmw = where([&](std::size_t a, std::size_t b) {
      return b == a + 1 && is_read(a) && events_[a].is_exchange;
    });
    const relation release_sequence =
        only([&](std::size_t a) { return is_write(a); }) * (rf * rmw).transitive().or_same();
    const relation released =
        only([&](std::size_t a) { return releases(events_[a].ordering) && !is_fence(a); }) |
        only([&](std::size_t a) { return releases(events_[a].ordering) && is_fence(a); }) * sb;
    const relation acquired =
        only([&](std::size_t a) { return acquires(events_[a].ordering) && is_read(a); }) |
        only([&](std::size_t a) { return is_read(a); }) * sb *
            only([&](std::size_t a) { return acquires(events_[a].ordering) && is_fence(a); });
    const relation sw = released * release_sequence * rf * acquired;
    const relation hb = (sb | sw).transitive();

    const bool is_coherent = hb.is_irreflexive() && (hb * eco).is_irreflexive();
    const relation between = fr * mo;
    const bool is_atomic = where([&](std::size_t a, std::size_t b) {
                             return rmw.has(a, b) && between.has(a, b);
                           }) == none;
    const bool has_no_thin_air = (sb | rf).transitive().is_irreflexive();
    return is_coherent && is_atomic && has_no_thin_air && has_sc_order(sb, hb, mo, fr, eco);
  }

  [[nodiscard]] bool has_sc_order(const relation& sb, const relation& hb, const relation& mo,
                                  const relation& fr, const relation& eco) const {
    const relation none{events_.size()};
    const auto same = [&](std::size_t a, std::size_t b) {
      return !is_fence(a) && !is_fence(b) && events_[a].location == events_[b].location;
    };
    const relation sb_elsewhere =
        none.where([&](std::size_t a, std::size_t b) { return sb.has(a, b) && !same(a, b); });
    const relation hb_here =
        none.where([&](std::size_t a, std::size_t b) { return hb.has(a, b) && same(a, b); });
    const relation scb = sb | sb_elsewhere * hb * sb_elsewhere | hb_here | mo | fr;
    const auto is_sc = [&](std::size_t a) { return is_ordered(events_[a].ordering); };
    const relation accesses = none.where(
        [&](std::size_t a, std::size_t b) { return a == b && is_sc(a) && !is_fence(a); });
    const relation fences =
        none.where([&](std::size_t a, std::size_t b) { return a == b && is_sc(a) && is_fence(a); });
    const relation base =
        (accesses | fences * hb.or_same()) * scb * (accesses | hb.or_same() * fences);
    const relation of_fences = fences * (hb | hb * eco * hb) * fences;
    const relation all = base | of_fences;
    const relation psc = none.where([&](std::size_t a, std::size_t b) {
      return all.has(a, b) && are_ordered(events_[a].ordering, events_[b].ordering);
    });
    return psc.transitive().is_irreflexive();
  }

  std::vector<axiom_event> events_;
  std::size_t initial_;
  std::vector<std::size_t> reads_;
  std::array<std::size_t, kMostEvents> from_{};
  behaviour result_;
};

// ---- both ----

std::uint32_t number_from(const char* variable, std::uint32_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

TEST(random_programs, have_the_executions_that_the_axioms_allow) {
  const std::uint32_t first = number_from("FINEGRAIN_MODEL_SEED", 1);
  const std::uint32_t programs = number_from("FINEGRAIN_MODEL_PROGRAMS", 300);
  for (std::uint32_t seed = first; seed < first + programs; ++seed) {
    random_source random{seed};
    const program of = random_program(random);
    const behaviour expected = candidate_executions{of}.allowed();
    const behaviour found = explored(of);
    ASSERT_EQ(found.executions, expected.executions) << "seed " << seed << '\n' << text_of(of);
    ASSERT_EQ(found.values, expected.values) << "seed " << seed << '\n' << text_of(of);
  }
}

}  // namespace
