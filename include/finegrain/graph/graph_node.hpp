// A node of a graph: what it calls, and its name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "finegrain/graph/graph_run.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A call. Its owner keeps the closure alive.
struct node_body {
  /// False: it had nothing to do in this run, so the time that it took says nothing.
  bool (*call)(void* closure, graph_run& run);
  void* closure;
};

/// What the closures of a graph are called with: nothing.
struct no_frame {
  template <class F>
  static constexpr bool may_call = std::is_invocable_v<F&>;
  template <class F>
  static decltype(auto) call(F& closure, graph_run& /*run*/) {
    return closure();
  }
};

/// A node as it was added.
class graph_node {
 public:
  /// `Frame` calls the closure. Throws std::bad_alloc and what copying the closure throws.
  template <class Frame, class F>
  graph_node(Frame /*calls*/, std::string name, F&& closure)
      : name_{std::move(name)},
        closure_{new std::decay_t<F>(std::forward<F>(closure)),
                 [](void* gone) { delete static_cast<std::decay_t<F>*>(gone); }},
        call_{[](void* called, graph_run& run) {
          static_cast<void>(Frame::call(*static_cast<std::decay_t<F>*>(called), run));
          return true;
        }} {}

  /// The node is there no longer; its number stays.
  void remove() noexcept { closure_.reset(); }
  [[nodiscard]] bool is_removed() const noexcept { return closure_ == nullptr; }

  [[nodiscard]] node_body body() const noexcept { return {call_, closure_.get()}; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
  std::unique_ptr<void, void (*)(void*)> closure_;
  bool (*call_)(void*, graph_run&);
};

/// The name of a node, in one line; of one without a name its number.
inline std::string name_of(const std::vector<graph_node>& nodes, std::uint32_t node) {
  const std::string& name = nodes[node].name();
  return name.empty() ? '#' + std::to_string(node) : detail::one_line(name);
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
