// The applications of the Barcelona OpenMP Tasks Suite that OMPi's authors ran.
//
// Source: A. Duran, X. Teruel, R. Ferrer, X. Martorell, E. Ayguade, "Barcelona OpenMP Tasks Suite:
// a set of benchmarks targeting the exploitation of task parallelism in OpenMP", ICPP 2009.
// Rewritten
// from the descriptions there and in its references, without any of the suite's code. The inputs
// are
// our own, from fixed seeds; no application has a cutoff except that of its sequential leaves. Each
// is
// one source for all runtimes: a template over the handle that spawns its tasks (tasks.hpp). The
// parts
// that make no tasks are compiled once.
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

/// The number of rows below which strassen multiplies sequentially, as in the suite.
inline constexpr std::uint64_t kStrassenBase = 64;

/// The size of an application.
struct application_size {
  std::uint64_t size = 0;
  std::uint64_t base = kStrassenBase;  ///< for strassen
};

/// An application as the command line names it.
struct application_kind {
  std::string_view name;
  std::string_view size;  ///< what its size counts
  std::uint64_t least_size;
  std::uint64_t usual_size;
  std::uint64_t greatest_size;
  /// Requires a size in these bounds. Throws std::invalid_argument with a one-line message if the
  /// size does not fit in another way.
  any_application (*make)(const application_size& size);
};

/// All applications.
[[nodiscard]] std::span<const application_kind> applications() noexcept;

}  // namespace fg::bench::bots
