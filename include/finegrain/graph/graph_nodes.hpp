// The nodes of a graph: what they call, and their names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "finegrain/graph/closure_arena.hpp"
#include "finegrain/graph/graph_run.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A call. Its owner keeps the closure alive.
struct node_body {
  /// False: it had nothing to do in this run, so the time that it took says nothing.
  bool (*call)(void* closure, graph_run& run);
  void* closure;
};

/// The nodes as they were added. Closures stay where they are.
class graph_nodes {
 public:
  graph_nodes() = default;
  graph_nodes(const graph_nodes&) = delete;
  graph_nodes& operator=(const graph_nodes&) = delete;
  ~graph_nodes() { clear(); }

  /// `Calls` calls the closure. Throws std::bad_alloc and what copying the closure throws; then
  /// nothing was added.
  template <class Calls = frame_calls<>, class F>
  void add(std::string_view name, F&& closure) {
    using closure_type = std::decay_t<F>;
    make_room();  // so that nothing fails once there is a closure
    const std::string_view kept_name = name.empty() ? name : keep(name);
    void* const place = arena_.allocate(sizeof(closure_type), alignof(closure_type));
    void* const kept = ::new (place) closure_type(std::forward<F>(closure));
    bodies_.push_back({&call<Calls, closure_type>, kept});
    owned_.push_back(
        {std::is_trivially_destructible_v<closure_type> ? nullptr : &destroy<closure_type>,
         kept_name});
  }

  /// From now on so many can be added, with closures and names of so many bytes, without allocation.
  /// Requires: there are none. Throws std::bad_alloc.
  void reserve(std::size_t nodes, std::size_t bytes) {
    bodies_.reserve(nodes);
    owned_.reserve(nodes);
    arena_.reserve(bytes);
    most_ = nodes;
  }

  /// Destroys all closures. The memory is kept for other nodes.
  void clear() noexcept {
    for (std::uint32_t node = 0; node != size(); ++node) {
      destroy_closure(node);
    }
    bodies_.clear();
    owned_.clear();
    arena_.clear();
  }

  /// Destroys a node's closure. The others keep their numbers.
  void remove(std::uint32_t node) noexcept {
    destroy_closure(node);
    owned_[node].destroy = nullptr;
    bodies_[node] = {};
  }
  [[nodiscard]] bool is_removed(std::size_t node) const noexcept {
    return bodies_[node].call == nullptr;
  }

  /// Removed ones included.
  [[nodiscard]] std::size_t size() const noexcept { return bodies_.size(); }
  [[nodiscard]] std::span<const node_body> bodies() const noexcept { return bodies_; }

  /// The name of a node, in one line; of one without a name its number.
  [[nodiscard]] std::string name_of(std::uint32_t node) const {
    const std::string_view name = owned_[node].name;
    return name.empty() ? '#' + std::to_string(node) : detail::one_line(name);
  }

 private:
  struct owned {
    void (*destroy)(void* closure);  // null: there is nothing to do
    std::string_view name;
  };

  template <class Calls, class Closure>
  static bool call(void* closure, graph_run& run) {
    static_cast<void>(Calls::call(*static_cast<Closure*>(closure), run));
    return true;
  }
  template <class Closure>
  static void destroy(void* closure) {
    static_cast<Closure*>(closure)->~Closure();
  }

  void destroy_closure(std::uint32_t node) noexcept {
    if (owned_[node].destroy != nullptr) {
      owned_[node].destroy(bodies_[node].closure);
    }
  }

  void make_room() {
    if (size() == most_) {
      detail::raise(
          std::length_error{"graph: only " + std::to_string(most_) + " nodes are reserved"});
    }
    if (size() == bodies_.capacity() || size() == owned_.capacity()) {
      const std::size_t more = std::max<std::size_t>(2 * size(), 16);
      bodies_.reserve(more);
      owned_.reserve(more);
    }
  }

  [[nodiscard]] std::string_view keep(std::string_view name) {
    char* const kept = static_cast<char*>(arena_.allocate(name.size(), 1));
    std::ranges::copy(name, kept);
    return {kept, name.size()};
  }

  std::vector<node_body> bodies_;  // what runs need
  std::vector<owned> owned_;
  closure_arena arena_;
  std::size_t most_ = ~std::size_t{0};  // nodes
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
