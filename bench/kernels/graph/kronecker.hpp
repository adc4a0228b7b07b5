// The Kronecker (R-MAT) graphs of the GAP Benchmark Suite.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/graph/edge_list.hpp"

namespace fg::bench {

/// The seed from which GAP generates all its graphs, weights and sources.
inline constexpr std::uint32_t kGapSeed = 27491095;

/// Generates the `edges_per_node` * 2^`scale` raw edges of a Kronecker graph with the Graph500
/// parameters A .57, B .19, C .19 and permuted node ids, as GAP does: the same draws of the same
/// generator in the same order.
///
/// The permutation is std::shuffle's, as in GAP, so the names of the nodes (not the graph's shape)
/// depend on the standard library. Throws std::invalid_argument for no edges or more than 2^18:
/// beyond that GAP reseeds for every block of 2^18 edges, which no kernel here needs.
/// Source: S. Beamer, K. Asanovic, D. Patterson, "The GAP Benchmark Suite", 2015; D. Chakrabarti,
/// Y. Zhan, C. Faloutsos, "R-MAT: A recursive model for graph mining", 2004.
[[nodiscard]] edge_list make_kronecker(unsigned scale, unsigned edges_per_node,
                                       std::uint32_t seed = kGapSeed);

/// Gives every edge of `list` a weight from 1 to 255, the same as GAP's. Requires at most 2^18
/// edges, as above; throws std::invalid_argument.
void add_gap_weights(edge_list& list, std::uint32_t seed = kGapSeed);

}  // namespace fg::bench
