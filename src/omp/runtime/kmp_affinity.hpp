// KMP_AFFINITY and KMP_HW_SUBSET: what LLVM's and Intel's runtimes have beside OMP_PLACES.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"

namespace fg::omp::runtime {

/// A layer, or the cache that most CPUs share, whichever that is.
struct granule {
  layer which = layer::core;
  bool is_last_cache = false;

  [[nodiscard]] layer in(const machine& here) const noexcept {
    return is_last_cache ? here.last_cache() : which;
  }
  bool operator==(const granule&) const = default;
};

struct kmp_affinity {
  enum class order { unsaid, none, compact, scatter, balanced, listed };

  order type = order::unsaid;
  granule places;   ///< granularity=
  int permute = 0;  ///< the first number
  int offset = 0;   ///< the second number
  bool is_verbose = false;
  bool respects = true;       ///< false: CPUs that the process could not use at its start, too
  bool resets = false;        ///< the thread that opens a region is bound in it only
  std::vector<place> listed;  ///< proclist=[...]
  std::vector<std::string> unknown{};  ///< words that are ignored

  bool operator==(const kmp_affinity&) const = default;
};

/// Throws std::bad_alloc.
kmp_affinity read_kmp_affinity(std::string_view text);

/// One item of KMP_HW_SUBSET: `count` parts of a layer from number `first` on.
struct subset_item {
  granule of;
  int count = 0;  ///< text_reader::kMost: all
  int first = 0;

  bool operator==(const subset_item&) const = default;
};

struct hw_subset {
  bool is_absolute = false;  ///< numbers are those in the whole machine, not in the layer around
  std::vector<subset_item> items{};

  /// The CPUs that remain, ascending. Throws std::bad_alloc.
  [[nodiscard]] std::vector<int> cpus_of(const machine& all) const;
};

/// The text as a list: `2s,4c@2,1t`. Empty if it is none. Throws std::bad_alloc.
std::optional<hw_subset> read_hw_subset(std::string_view text);

}  // namespace fg::omp::runtime
