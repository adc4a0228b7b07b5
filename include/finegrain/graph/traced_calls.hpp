// Shows the nodes of a graph in a trace (trace/trace.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "finegrain/core/config.hpp"
#include "finegrain/graph/graph_nodes.hpp"
#include "finegrain/graph/graph_run.hpp"
#include "finegrain/trace/trace.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

/// A copy of the name of a span, which has to live as long as the process. Any thread.
inline const char* kept_span_name(const std::string& name) {
  static auto& names = *new std::set<std::string>;  // never destroyed
  static std::mutex changing;
  const std::lock_guard lock{changing};
  return names.insert(name).first->c_str();
}

/// Puts calls that record a span in the place of others. A graph does so when it is compiled, if there is a
/// trace: without one its runs cost nothing more.
class traced_calls {
 public:
  /// All but those to `nothing`. `name_of(node)` is a std::string. Throws std::bad_alloc.
  template <class NameOf>
  void replace(std::vector<node_body>& bodies, decltype(node_body::call) nothing, NameOf name_of) {
    calls_.clear();
    calls_.reserve(bodies.size());  // they stay where they are
    for (std::uint32_t node = 0; node != bodies.size(); ++node) {
      if (bodies[node].call != nothing) {
        calls_.push_back({bodies[node], kept_span_name(name_of(node))});
        bodies[node] = {&call_traced, &calls_.back()};
      }
    }
  }

 private:
  struct traced_call {
    node_body body;
    const char* name;
  };

  static bool call_traced(void* closure, graph_run& run) {
    const traced_call& self = *static_cast<const traced_call*>(closure);
    const trace_span span{self.name};
    return self.body.call(self.body.closure, run);
  }

  std::vector<traced_call> calls_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
