// Proteins and their best alignments in pairs. Compiled once, for all runtimes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fg::bench {

/// An amino acid's number, below kResidues.
using residue = std::uint8_t;
inline constexpr std::size_t kResidues = 20;

/// Of at most kLongestProtein residues.
using protein = std::vector<residue>;
inline constexpr std::size_t kLongestProtein = 200;

/// Proteins of seeded residues and lengths, the same ones each time. Two of three are descendants
/// of one before: with some residues changed, left out or put in.
[[nodiscard]] std::vector<protein> seeded_proteins(std::size_t count);

/// What a residue of the first protein, of the second or of both an alignment goes through next.
enum class align_step : std::uint8_t {
  kPair,        ///< one of each
  kFirstAlone,  ///< one of the first, a gap in the second
  kSecondAlone,
};

/// How one protein is turned into the other. Its score is the sum of the pairs' scores less the
/// gaps' costs; table and costs are our own.
struct protein_alignment {
  int score = 0;
  int identities = 0;  ///< pairs of the same residue
  std::vector<align_step> steps;
};

/// An empty one with memory for the steps of any two proteins as long as these.
[[nodiscard]] protein_alignment empty_alignment(const protein& first, const protein& second);

/// Adds a best alignment of the two to `found`, an empty one. Memory is linear in the second one's
/// length, and on the stack; time O(first * second). Source: E. Myers, W. Miller, "Optimal
/// alignments in linear space", CABIOS 4(1), 1988, over O. Gotoh, "An improved algorithm for
/// matching biological sequences", J. Mol. Biol. 162, 1982.
void align(const protein& first, const protein& second, protein_alignment& found);

/// The best score of an alignment of the two: Gotoh's three full matrices.
[[nodiscard]] int best_score(const protein& first, const protein& second);

/// Nothing if `found` leads through both, has the best score by its steps, and says of itself what
/// is true; else what is wrong.
[[nodiscard]] std::optional<std::string> fault_of_alignment(const protein& first,
                                                            const protein& second,
                                                            const protein_alignment& found,
                                                            int best);

}  // namespace fg::bench
