// No trace, and no check whether there is one: replaces the shipped trace/trace.hpp, which reads
// the environment and writes a file. event_log_model.cpp models the log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "finegrain/trace/zone.hpp"

namespace fg::inline FINEGRAIN_ABI {

namespace detail {

struct trace_log {
  void add(const char* /*what*/, std::uint64_t /*begin*/) noexcept {}
};

inline bool is_traced() noexcept { return false; }

inline trace_log* trace_of_this_thread(const char* /*name*/ = nullptr) noexcept { return nullptr; }

}  // namespace detail

// Used only for its lifetime.
class [[maybe_unused]] trace_span {
 public:
  explicit trace_span(const char* /*name*/) noexcept {}
  trace_span(detail::trace_log* /*log*/, const char* /*name*/) noexcept {}
  ~trace_span() = default;
  trace_span(const trace_span&) = delete;
  trace_span& operator=(const trace_span&) = delete;
};

namespace detail {

class [[maybe_unused]] library_span {
 public:
  library_span(trace_log* /*log*/, const span_kind& /*kind*/) noexcept {}
};

}  // namespace detail

}  // namespace fg::inline FINEGRAIN_ABI
