// OMP_PLACES and GOMP_CPU_AFFINITY: places as the user lists them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "machine.hpp"

namespace fg::omp::runtime {

/// Places that are parts of the machine, named by OpenMP's abstract names: `cores(4)`.
enum class abstract_places { threads, cores, ll_caches, numa_domains, sockets };

struct named_places {
  abstract_places name = abstract_places::cores;
  std::optional<std::size_t> most;  ///< how many of them
  bool is_whole = true;             ///< false: what follows the name makes no sense

  bool operator==(const named_places&) const = default;
};

constexpr std::string_view to_string(abstract_places name) noexcept {
  constexpr std::string_view kNames[] = {"threads", "cores", "ll_caches", "numa_domains",
                                         "sockets"};
  return kNames[static_cast<std::size_t>(name)];
}

/// The text as an abstract name; empty if it does not begin with one.
std::optional<named_places> read_named_places(std::string_view text) noexcept;

/// The text as a list of OpenMP 5.2 (21.1.6): `{0:4},{4:2,9}:3:8,!{12,13}`, where a number without
/// braces is a place of one CPU. Empty if it is none, or has more than 65536 places or a million
/// CPUs in them. CPUs that no system can have (from 65536 on) are left out, and places that have no
/// others. Throws std::bad_alloc.
std::optional<std::vector<place>> read_place_list(std::string_view text);

/// The text as a list of CPUs, each a place: `0 3 1-2 4-15:2`, with blanks or commas between them;
/// in braces, the CPUs of one place, as KMP_AFFINITY has them. Empty if it is none. The limits are
/// those of `read_place_list`. Throws std::bad_alloc.
std::optional<std::vector<place>> read_cpu_places(std::string_view text);

}  // namespace fg::omp::runtime
