// What the environment says of places, and of binding threads to them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kmp_affinity.hpp"
#include "place_list.hpp"
#include "placement.hpp"

namespace fg::omp::runtime {

/// The values of the variables; empty: not set.
struct binding_variables {
  std::string_view proc_bind{};          ///< OMP_PROC_BIND
  std::string_view places{};             ///< OMP_PLACES
  std::string_view kmp_affinity{};       ///< KMP_AFFINITY
  std::string_view gomp_cpu_affinity{};  ///< GOMP_CPU_AFFINITY
  std::string_view hw_subset{};          ///< KMP_HW_SUBSET
  std::string_view teams_bind{};         ///< KMP_TEAMS_PROC_BIND
};

struct binding_request {
  bool is_wanted = false;
  std::vector<binding> by_level{};  ///< OMP_PROC_BIND, if it is valid
  binding any = binding::spread;    ///< what `any` means
  binding of_teams = binding::spread;

  // Which places: the first of these that there is; otherwise all CPUs are one.
  std::optional<named_places> named{};
  std::vector<place> listed{};
  std::optional<kmp_affinity> by_distance{};

  bool is_verbose = false;
  bool respects = true;
  bool resets = false;

  /// bind-var of the outermost tasks.
  [[nodiscard]] binding outermost() const noexcept {
    const binding said = by_level.empty() ? binding::any : by_level.front();
    return is_wanted ? said : binding::none;
  }
};

/// OMP_PLACES, KMP_AFFINITY or GOMP_CPU_AFFINITY, the first that is set, says which places;
/// OMP_PROC_BIND says how they are used, and whether. Appends a line for each value that is not
/// followed. Throws std::bad_alloc.
binding_request read_binding(const binding_variables& said, std::vector<std::string>& complaints);

/// Of this process, read once, with the complaints printed. Any thread.
const binding_request& requested_binding() noexcept;

/// A place, or a list of them, as OMP_PLACES has it: `{0:4},{4,6}`. Throws std::bad_alloc.
std::string to_text(const place& one);
std::string to_text(const std::vector<place>& all);

/// OMP_PLACES as it is followed: a name or a list. Throws std::bad_alloc.
std::string places_in_words(const binding_request& asked);

}  // namespace fg::omp::runtime
