// Replaces the header of Intel's Instrumentation and Tracing Technology: the part that we use, with
// its names.
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdexcept>
#include <string>

#include "zone_record.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
struct __itt_domain {
  std::string name;
};
struct __itt_string_handle {
  std::string text;
};
struct __itt_id {
  unsigned long long parts[3];
};
inline constexpr __itt_id __itt_null{};

inline __itt_domain* __itt_domain_create(const char* name) { return new __itt_domain{name}; }
inline __itt_string_handle* __itt_string_handle_create(const char* name) {
  return new __itt_string_handle{name};
}
inline void __itt_task_begin(const __itt_domain* domain, __itt_id /*task*/, __itt_id /*parent*/,
                             const __itt_string_handle* name) {
  if (domain->name != "finegrain") {
    throw std::logic_error{"another domain"};
  }
  fg::test::zone_record::instance().begin(name->text);
}
inline void __itt_task_end(const __itt_domain* /*domain*/) {
  fg::test::zone_record::instance().end();
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
