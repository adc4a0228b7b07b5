// Searches whose answers are known by a serial search, for tests over MPI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/mpi.hpp"

namespace searches {

// A random tree: each node is a number, from which those of its children follow.
struct node {
  std::uint64_t number;
  std::uint32_t depth;
  std::uint32_t is_root;
};

inline std::uint64_t mixed(std::uint64_t number) {  // splitmix64
  number += 0x9e37'79b9'7f4a'7c15;
  number = (number ^ (number >> 30U)) * 0xbf58'476d'1ce4'e5b9;
  number = (number ^ (number >> 27U)) * 0x94d0'49bb'1331'11eb;
  return number ^ (number >> 31U);
}

constexpr std::uint32_t kDeepest = 60;

inline unsigned children_of(const node& of) {
  if (of.is_root != 0) {
    return 60;
  }
  const auto chance = static_cast<unsigned>(mixed(of.number) % 100);
  return of.depth == kDeepest ? 0 : (chance < 48 ? 2 : 0);
}
inline node child_of(const node& of, unsigned number) {
  return {mixed(of.number * 31 + number + 1), of.depth + 1, 0};
}

// A node that is lost or counted twice changes the sum, and so do two that cancel in the count.
struct found {
  std::uint64_t nodes = 0;
  std::uint64_t sum = 0;
  std::uint64_t greatest = 0;

  void operator+=(const found& other) {
    nodes += other.nodes;
    sum += other.sum;
    greatest = std::max(greatest, other.greatest);
  }
  bool operator==(const found&) const = default;
};

inline found found_at(const node& at) { return {1, mixed(at.number), at.number}; }

inline found serial(std::uint64_t seed) {
  found all;
  std::vector<node> left{{seed, 0, 1}};
  while (!left.empty()) {
    const node top = left.back();
    left.pop_back();
    all += found_at(top);
    for (unsigned i = 0; i != children_of(top); ++i) {
      left.push_back(child_of(top, i));
    }
  }
  return all;
}

// On a stack, as vectors travel.
class on_a_stack : public fg::mpi::stack_bag<node, found> {
 public:
  on_a_stack(std::uint64_t seed, bool has_root) {
    if (has_root) {
      items.push_back({seed, 0, 1});
    }
  }
  std::size_t process(std::size_t most) {
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      const node top = items.back();
      items.pop_back();
      sum += found_at(top);
      for (unsigned i = 0; i != children_of(top); ++i) {
        items.push_back(child_of(top, i));
      }
    }
    std::this_thread::yield();  // other ranks may need this CPU
    return done;
  }
};

// What a program wants to do at each call of `process` and `write` of what follows. Any thread calls it.
inline std::function<void()> on_step = [] {};  // NOLINT(*-non-const-global-variables)

// The same, in a list: a part of a type of its own, which `serial` is specialized for. It does a few nodes
// at a time, so that a search has many steps.
struct nodes {
  std::list<node> all;
};

class in_a_list {
 public:
  in_a_list(std::uint64_t seed, bool has_root) {
    if (has_root) {
      left_.all.push_back({seed, 0, 1});
    }
  }
  std::size_t process(std::size_t most) {
    on_step();
    std::size_t done = 0;
    for (; done != std::min<std::size_t>(most, 8) && !left_.all.empty(); ++done) {
      const node top = left_.all.back();
      left_.all.pop_back();
      sum_ += found_at(top);
      for (unsigned i = 0; i != children_of(top); ++i) {
        left_.all.push_back(child_of(top, i));
      }
    }
    std::this_thread::yield();
    return done;
  }
  [[nodiscard]] std::size_t size() const { return left_.all.size(); }
  nodes split(std::size_t n) {
    nodes part;
    part.all.splice(part.all.begin(), left_.all, left_.all.begin(),
                    std::next(left_.all.begin(), static_cast<std::ptrdiff_t>(n)));
    return part;
  }
  void merge(nodes part) { left_.all.splice(left_.all.end(), part.all); }
  [[nodiscard]] found result() const { return sum_; }
  void reduce(const found& other) { sum_ += other; }

 private:
  nodes left_;
  found sum_;
};

// The greatest number only, where whole subtrees are left out if a bound says that they have none.
class greatest : public fg::mpi::stack_bag<node, found> {
 public:
  greatest(std::uint64_t seed, fg::mpi::bound& best, bool has_root) : best_{&best} {
    if (has_root) {
      items.push_back({seed, 0, 1});
    }
  }
  std::size_t process(std::size_t most) {
    std::size_t done = 0;
    for (; done != most && !items.empty(); ++done) {
      const node top = items.back();
      items.pop_back();
      const auto value = static_cast<std::int64_t>(top.number >> 1U);
      sum += {0, 0, top.number >> 1U};
      best_->raise(value);
      for (unsigned i = 0; i != children_of(top); ++i) {
        const node child = child_of(top, i);
        if (children_of(child) != 0 ||
            static_cast<std::int64_t>(child.number >> 1U) > best_->value()) {
          items.push_back(child);
        }
      }
    }
    std::this_thread::yield();
    return done;
  }

 private:
  fg::mpi::bound* best_;
};

// Never empty.
struct endless : fg::mpi::stack_bag<int, std::uint64_t> {
  endless() { items.push_back(0); }
  std::size_t process(std::size_t /*most*/) {
    if (items.empty()) {
      return 0;
    }
    ++sum;
    std::this_thread::yield();
    return 1;
  }
};

}  // namespace searches

template <>
struct fg::mpi::serial<searches::nodes> {
  static bytes write(const searches::nodes& part) {
    searches::on_step();
    bytes all(part.all.size() * sizeof(searches::node));
    std::byte* to = all.data();
    for (const searches::node& each : part.all) {
      std::memcpy(to, &each, sizeof each);
      to += sizeof each;
    }
    return all;
  }
  static searches::nodes read(std::span<const std::byte> raw) {
    searches::nodes part;
    for (std::size_t at = 0; at != raw.size(); at += sizeof(searches::node)) {
      searches::node each{};
      std::memcpy(&each, raw.data() + at, sizeof each);
      part.all.push_back(each);
    }
    return part;
  }
};
