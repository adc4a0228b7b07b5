// The CPUs of a process, and the parts of the machine that they belong to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "finegrain/host/topology.hpp"

namespace fg::omp::runtime {

/// The CPUs of a place, ascending. OpenMP calls a CPU a processor.
using place = std::vector<int>;

/// Parts that contain each other, the largest first.
enum class layer : std::size_t { socket, numa_domain, l3, l2, core, thread };
inline constexpr std::size_t kLayers = 6;

/// Throws std::bad_alloc.
class machine {
 public:
  /// Of these CPUs. One that `of` does not know is a core of its own.
  machine(const topology& of, const std::vector<int>& cpus);

  /// Each part of a layer as a place, neighbours one after another. A layer that the system does
  /// not describe is one part.
  [[nodiscard]] std::vector<place> parts(layer which) const;
  /// The parts of the cache that most CPUs share; without one, sockets.
  [[nodiscard]] layer last_cache() const noexcept;

  /// The same parts in the order of KMP_AFFINITY=compact, in which the `innermost` layers count
  /// first: 0 is `parts`; with all layers, neighbours are as far from each other as possible
  /// (scatter).
  [[nodiscard]] std::vector<place> parts_by_distance(layer which, std::size_t innermost) const;
  /// How many layers that order has.
  [[nodiscard]] std::size_t depth() const noexcept { return told_apart().size(); }

  /// Of each CPU: its id, and the number of its part of a layer, in the part around it or in the
  /// whole machine.
  struct located {
    int cpu = -1;
    std::array<int, kLayers> in_whole{};
    std::array<int, kLayers> in_parent{};

    [[nodiscard]] int whole(layer which) const noexcept {
      return in_whole[static_cast<std::size_t>(which)];
    }
    [[nodiscard]] int relative(layer which) const noexcept {
      return in_parent[static_cast<std::size_t>(which)];
    }
  };
  /// Neighbours one after another.
  [[nodiscard]] const std::vector<located>& cpus() const noexcept { return cpus_; }

 private:
  [[nodiscard]] int count(layer which) const noexcept {
    return counts_[static_cast<std::size_t>(which)];
  }
  void number_within_parents() noexcept;
  [[nodiscard]] std::vector<layer> told_apart() const;

  std::vector<located> cpus_;
  std::array<int, kLayers> counts_{};         // parts of each layer
  std::array<bool, kLayers> is_described_{};  // by the system
};

}  // namespace fg::omp::runtime
