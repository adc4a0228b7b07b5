// Replaces Tracy's header: the part of its C interface that we use, with its names.
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <cstdint>
#include <stdexcept>

#include "../zone_record.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
struct ___tracy_source_location_data {
  const char* name;
  const char* function;
  const char* file;
  std::uint32_t line;
  std::uint32_t color;
};
struct ___tracy_c_zone_context {
  std::uint32_t id;
  int active;
};
using TracyCZoneCtx = const ___tracy_c_zone_context;

inline TracyCZoneCtx ___tracy_emit_zone_begin(const ___tracy_source_location_data* place,
                                              int active) {
  if (place->function == nullptr || place->file == nullptr) {
    throw std::logic_error{"Tracy reads both"};
  }
  fg::test::zone_record::instance().begin(place->name);
  return {1, active};
}
inline void ___tracy_emit_zone_end(TracyCZoneCtx context) {
  if (context.id != 1 || context.active != 1) {
    throw std::logic_error{"not what the begin gave"};
  }
  fg::test::zone_record::instance().end();
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
