// Proteins and their best pairwise alignments. Compiled once for all runtimes.
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

/// At most kLongestProtein residues.
using protein = std::vector<residue>;
inline constexpr std::size_t kLongestProtein = 200;

/// Pseudo-random proteins, the same each time. Two of three are descendants of an earlier one: with
/// some residues changed, left out or inserted.
[[nodiscard]] std::vector<protein> seeded_proteins(std::size_t count);

/// What an alignment consumes next: a residue of the first protein, of the second, or of both.
enum class align_step : std::uint8_t {
  kPair,        ///< one of each
  kFirstAlone,  ///< one of the first, a gap in the second
  kSecondAlone,
};

/// How one protein is turned into the other. Its score is the sum of the pairs' scores minus the
/// costs of the gaps; the score table and the costs are our own.
struct protein_alignment {
  int score = 0;
  int identities = 0;  ///< pairs of the same residue
  std::vector<align_step> steps;
};

/// An empty alignment with memory for the steps of any two proteins of these lengths.
[[nodiscard]] protein_alignment empty_alignment(const protein& first, const protein& second);

/// Adds a best alignment of the two to `found`, which is empty. Memory, on the stack, is linear in
/// the length of the second; time is O(first * second). Source: E. Myers, W. Miller, "Optimal
/// alignments in linear space", CABIOS 4(1), 1988, over O. Gotoh, "An improved algorithm for
/// matching biological sequences", J. Mol. Biol. 162, 1982.
void align(const protein& first, const protein& second, protein_alignment& found);

/// The best score of an alignment of the two, by Gotoh's three full matrices.
[[nodiscard]] int best_score(const protein& first, const protein& second);

/// Nothing if `found` consumes both proteins, has the best score by its steps, and reports its
/// score and identities correctly; else what is wrong.
[[nodiscard]] std::optional<std::string> fault_of_alignment(const protein& first,
                                                            const protein& second,
                                                            const protein_alignment& found,
                                                            int best);

}  // namespace fg::bench
