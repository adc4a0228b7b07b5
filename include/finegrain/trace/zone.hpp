// The library's activities as zones of a profiler: Tracy, or Intel's Instrumentation and Tracing
// Technology (VTune and others). Does nothing unless compiled with FINEGRAIN_ZONES_TRACY or
// FINEGRAIN_ZONES_ITT.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/core/config.hpp"

#if defined(FINEGRAIN_ZONES_TRACY) && defined(FINEGRAIN_ZONES_ITT)
#error "finegrain: zones for Tracy or for ITT, not for both"
#elif defined(FINEGRAIN_ZONES_TRACY)
#include <tracy/TracyC.h>
#ifndef TRACY_ENABLE
#error "finegrain: FINEGRAIN_ZONES_TRACY needs TRACY_ENABLE, which linking Tracy::TracyClient sets"
#endif
#elif defined(FINEGRAIN_ZONES_ITT)
#include <ittnotify.h>
#endif

namespace fg::inline FINEGRAIN_ABI::detail {

#if defined(FINEGRAIN_ZONES_TRACY)

inline constexpr bool kHasZones = true;

/// One kind of activity of the library. Tracy keeps its address.
class span_kind {
 public:
  constexpr explicit span_kind(const char* name) noexcept : place_{name, name, "finegrain", 0, 0} {}
  [[nodiscard]] constexpr const char* name() const noexcept { return place_.name; }

 private:
  friend class zone;
  ___tracy_source_location_data place_;  // name, function, file, line, colour
};

/// Marks this activity on the calling thread while it lives. Zones of one thread nest.
class zone {
 public:
  explicit zone(const span_kind& kind) noexcept
      : context_{___tracy_emit_zone_begin(&kind.place_, 1)} {}
  ~zone() { ___tracy_emit_zone_end(context_); }
  zone(const zone&) = delete;
  zone& operator=(const zone&) = delete;

 private:
  TracyCZoneCtx context_;
};

#elif defined(FINEGRAIN_ZONES_ITT)

inline constexpr bool kHasZones = true;

/// One kind of activity of the library.
class span_kind {
 public:
  explicit span_kind(const char* name) noexcept
      : name_{name}, handle_{__itt_string_handle_create(name)} {}
  [[nodiscard]] const char* name() const noexcept { return name_; }

 private:
  friend class zone;
  const char* name_;
  __itt_string_handle* handle_;
};

/// Marks this activity on the calling thread while it lives. Zones of one thread nest.
class zone {
 public:
  explicit zone(const span_kind& kind) noexcept {
    if (domain() != nullptr) {
      __itt_task_begin(domain(), __itt_null, __itt_null, kind.handle_);
    }
  }
  ~zone() {
    if (domain() != nullptr) {
      __itt_task_end(domain());
    }
  }
  zone(const zone&) = delete;
  zone& operator=(const zone&) = delete;

 private:
  // Null if no tool collects.
  static __itt_domain* domain() noexcept {
    static __itt_domain* const only = __itt_domain_create("finegrain");
    return only;
  }
};

#else

inline constexpr bool kHasZones = false;

class span_kind {
 public:
  constexpr explicit span_kind(const char* name) noexcept : name_{name} {}
  [[nodiscard]] constexpr const char* name() const noexcept { return name_; }

 private:
  const char* name_;
};

class [[maybe_unused]] zone {
 public:
  explicit zone(const span_kind& /*kind*/) noexcept {}
};

#endif

// Static objects of a program that use the library are constructed after these.
inline const span_kind task_span{"task"};
inline const span_kind stolen_task_span{"stolen task"};
inline const span_kind posted_task_span{"posted task"};
inline const span_kind run_span{"run"};
inline const span_kind sleep_span{"sleep"};

}  // namespace fg::inline FINEGRAIN_ABI::detail
