// The applications of the Barcelona OpenMP Tasks Suite that OMPi's authors ran.
//
// Source: A. Duran, X. Teruel, R. Ferrer, X. Martorell, E. Ayguade, "Barcelona OpenMP Tasks Suite:
// a set of benchmarks targeting the exploitation of task parallelism in OpenMP", ICPP 2009. Written
// anew from the descriptions there and in what it names, without any of the suite's code; inputs of
// our own, from fixed seeds; none has a cutoff but that of its sequential leaves. Each is one
// source for all runtimes: a template over who runs its tasks (tasks.hpp). What has no tasks in it
// is compiled once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

#include "kernels/bots/alignment.hpp"
#include "kernels/bots/fft.hpp"
#include "kernels/bots/fib.hpp"
#include "kernels/bots/floorplan.hpp"
#include "kernels/bots/health.hpp"
#include "kernels/bots/nqueens.hpp"
#include "kernels/bots/sort.hpp"
#include "kernels/bots/sparselu.hpp"
#include "kernels/bots/strassen.hpp"

namespace fg::bench::bots {

template <class... Application>
using one_of = std::variant<std::unique_ptr<Application>...>;

using any_application =
    one_of<fib, nqueens, floorplan, alignment, fft, health, sort, sparselu, strassen>;

/// Rows of strassen's sequential products, as the suite has them.
inline constexpr std::uint64_t kStrassenBase = 64;

/// Of what size an application is made.
struct application_size {
  std::uint64_t size = 0;
  std::uint64_t base = kStrassenBase;  ///< strassen's
};

/// An application as the command line knows it.
struct application_kind {
  std::string_view name;
  std::string_view size;  ///< what its size is
  std::uint64_t least_size;
  std::uint64_t usual_size;
  std::uint64_t greatest_size;
  /// Requires a size in these bounds. Throws std::invalid_argument, one line, for one that does not
  /// fit otherwise.
  any_application (*make)(const application_size& size);
};

/// All of them.
[[nodiscard]] std::span<const application_kind> applications() noexcept;

}  // namespace fg::bench::bots
