// SPDX-License-Identifier: Apache-2.0
#include "kernels/bots/protein_alignment.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace fg::bench {

namespace {

constexpr std::uint32_t kSeed = 2009;

// A gap of n residues costs kGapOpen + n * kGapStep.
constexpr int kGapOpen = 10;
constexpr int kGapStep = 1;

using score_table = std::array<std::array<int, kResidues>, kResidues>;

// Symmetric, pseudo-random: 4 to 9 for a residue with itself, -4 to 2 for two others.
score_table seeded_scores() {
  std::mt19937 random{kSeed};
  score_table table{};
  for (std::size_t row = 0; row < kResidues; ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      table[row][column] = table[column][row] = static_cast<int>(random() % 7) - 4;
    }
    table[row][row] = static_cast<int>(random() % 6) + 4;
  }
  return table;
}

const score_table& scores() {
  static const score_table table = seeded_scores();
  return table;
}

int gap(std::size_t residues) noexcept {
  return residues == 0 ? 0 : -kGapOpen - kGapStep * static_cast<int>(residues);
}

protein random_protein(std::mt19937& random) {
  constexpr std::size_t kShortest = 100;
  constexpr std::size_t kLongest = 160;  // descendants may be longer
  protein made(kShortest + random() % (kLongest - kShortest + 1));
  std::ranges::generate(made, [&] { return static_cast<residue>(random() % kResidues); });
  return made;
}

// One of eight residues is changed; at one place in 32 a few are left out or inserted.
protein descendant(const protein& ancestor, std::mt19937& random) {
  protein made;
  for (std::size_t i = 0; i < ancestor.size(); ++i) {
    const auto chance = random() % 32;
    if (chance == 0) {
      i += random() % 8;
    } else if (chance == 1) {
      for (auto more = random() % 8; more > 0; --more) {
        made.push_back(static_cast<residue>(random() % kResidues));
      }
    } else {
      made.push_back(chance < 6 ? static_cast<residue>(random() % kResidues) : ancestor[i]);
    }
  }
  made.resize(std::min(made.size(), kLongestProtein));
  return made;
}

using residues = std::span<const residue>;

// For each prefix of the second part, the best score against all of the first part: of any
// alignment, and of those that end in a gap in the second.
struct last_row {
  std::array<int, kLongestProtein + 1> any;
  std::array<int, kLongestProtein + 1> in_gap;
};

// `open` is the cost of opening a gap at the start.
template <std::ranges::sized_range Residues>
void fill(last_row& row, const Residues& first, const Residues& second, int open) {
  auto& [any, in_gap] = row;
  any[0] = 0;
  for (std::size_t j = 1; j <= second.size(); ++j) {
    any[j] = gap(j);
    in_gap[j] = any[j] - kGapOpen;
  }
  int down = -open;
  for (const residue own : first) {
    const auto& score = scores()[own];
    int diagonal = any[0];
    down -= kGapStep;
    any[0] = down;
    int left = down;
    int across = down - kGapOpen;
    std::size_t j = 0;
    for (const residue other : second) {
      ++j;
      const int above = any[j];
      const int downward = std::max(in_gap[j], above - kGapOpen) - kGapStep;
      across = std::max(across, left - kGapOpen) - kGapStep;
      const int other_best = std::max(diagonal + score[other], downward);
      left = std::max(other_best, across);
      diagonal = above;
      any[j] = left;
      in_gap[j] = downward;
    }
  }
  in_gap[0] = any[0];
}

// Where a best alignment crosses the middle of the first part.
struct crossing {
  int score;
  std::size_t column;
  bool is_in_gap;
};

// Myers and Miller's recursion. Each part has the cost of opening a gap in the second at the part's
// start and at its end: nothing if the gap continues beyond it.
class linear_space_aligner {
 public:
  explicit linear_space_aligner(protein_alignment& found) : found_{&found} {}

  // Adds the steps through both; returns their score.
  int align(residues first, residues second, int open_at_start, int open_at_end) {
    if (second.empty()) {
      add(align_step::kFirstAlone, first.size());
      return first.empty() ? 0
                           : gap(first.size()) + kGapOpen - std::min(open_at_start, open_at_end);
    }
    if (first.empty()) {
      add(align_step::kSecondAlone, second.size());
      return gap(second.size());
    }
    if (first.size() == 1) {
      return align_one(first[0], second, open_at_start, open_at_end);
    }
    const std::size_t middle = first.size() / 2;
    const crossing best = find_crossing(first, second, open_at_start, open_at_end);
    const residues left = second.first(best.column);
    const residues right = second.subspan(best.column);
    if (best.is_in_gap) {
      align(first.first(middle - 1), left, open_at_start, 0);
      add(align_step::kFirstAlone, 2);
      align(first.subspan(middle + 1), right, 0, open_at_end);
    } else {
      align(first.first(middle), left, open_at_start, kGapOpen);
      align(first.subspan(middle), right, kGapOpen, open_at_end);
    }
    return best.score;
  }

 private:
  // One residue: it is alone, if that is cheaper to open, or paired with one of the second.
  int align_one(residue own, residues second, int open_at_start, int open_at_end) {
    int best = gap(second.size()) - std::min(open_at_start, open_at_end) - kGapStep;
    std::size_t partner = second.size();
    for (std::size_t j = 0; j < second.size(); ++j) {
      const int paired = gap(j) + scores()[own][second[j]] + gap(second.size() - 1 - j);
      if (paired > best) {
        best = paired;
        partner = j;
      }
    }
    if (partner < second.size()) {
      add(align_step::kSecondAlone, partner);
      add(align_step::kPair, 1);
      found_->identities += own == second[partner] ? 1 : 0;
      add(align_step::kSecondAlone, second.size() - 1 - partner);
    } else if (open_at_start < open_at_end) {
      add(align_step::kFirstAlone, 1);
      add(align_step::kSecondAlone, second.size());
    } else {
      add(align_step::kSecondAlone, second.size());
      add(align_step::kFirstAlone, 1);
    }
    return best;
  }

  crossing find_crossing(residues first, residues second, int open_at_start, int open_at_end) {
    const std::size_t middle = first.size() / 2;
    fill(before_, first.first(middle), second, open_at_start);
    fill(after_, first.subspan(middle) | std::views::reverse, second | std::views::reverse,
         open_at_end);
    crossing best{
        .score = before_.any[0] + after_.any[second.size()], .column = 0, .is_in_gap = false};
    for (std::size_t column = 0; column <= second.size(); ++column) {
      const std::size_t rest = second.size() - column;
      const int any = before_.any[column] + after_.any[rest];
      // The gap that crosses the middle was opened on both sides.
      const int in_gap = before_.in_gap[column] + after_.in_gap[rest] + kGapOpen;
      if (std::max(any, in_gap) > best.score) {
        best = {.score = std::max(any, in_gap), .column = column, .is_in_gap = in_gap > any};
      }
    }
    return best;
  }

  void add(align_step step, std::size_t times) {
    found_->steps.insert(found_->steps.end(), times, step);
  }

  protein_alignment* found_;
  last_row before_;
  last_row after_;
};

}  // namespace

std::vector<protein> seeded_proteins(std::size_t count) {
  std::mt19937 random{kSeed};
  std::vector<protein> proteins;
  proteins.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    proteins.push_back(i % 3 == 0 ? random_protein(random)
                                  : descendant(proteins[random() % i], random));
  }
  return proteins;
}

protein_alignment empty_alignment(const protein& first, const protein& second) {
  protein_alignment made;
  made.steps.reserve(first.size() + second.size());
  return made;
}

void align(const protein& first, const protein& second, protein_alignment& found) {
  found.score += linear_space_aligner{found}.align(first, second, kGapOpen, kGapOpen);
}

int best_score(const protein& first, const protein& second) {
  // By the last step; the least score stands for an impossible one.
  constexpr int kNone = -1'000'000;
  struct scores_by_step {
    int paired = kNone;
    int first_alone = kNone;
    int second_alone = kNone;
    [[nodiscard]] int best() const { return std::max({paired, first_alone, second_alone}); }
  };
  const std::size_t columns = second.size() + 1;
  std::vector<scores_by_step> cells((first.size() + 1) * columns);
  cells[0].paired = 0;
  for (std::size_t i = 0; i <= first.size(); ++i) {
    for (std::size_t j = 0; j <= second.size(); ++j) {
      scores_by_step& cell = cells[i * columns + j];
      if (i > 0) {
        const scores_by_step& above = cells[(i - 1) * columns + j];
        cell.first_alone = std::max(above.first_alone, above.best() - kGapOpen) - kGapStep;
      }
      if (j > 0) {
        const scores_by_step& left = cells[i * columns + j - 1];
        cell.second_alone = std::max(left.second_alone, left.best() - kGapOpen) - kGapStep;
      }
      if (i > 0 && j > 0) {
        cell.paired =
            cells[(i - 1) * columns + j - 1].best() + scores()[first[i - 1]][second[j - 1]];
      }
    }
  }
  return cells.back().best();
}

std::optional<std::string> fault_of_alignment(const protein& first, const protein& second,
                                              const protein_alignment& found, int best) {
  int score = 0;
  int identities = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  auto last = align_step::kPair;
  for (const align_step step : found.steps) {
    const bool takes_first = step != align_step::kSecondAlone;
    const bool takes_second = step != align_step::kFirstAlone;
    if ((takes_first && i == first.size()) || (takes_second && j == second.size())) {
      return "the steps lead beyond the end";
    }
    if (takes_first && takes_second) {
      score += scores()[first[i]][second[j]];
      identities += first[i] == second[j] ? 1 : 0;
    } else {
      score -= kGapStep + (step == last ? 0 : kGapOpen);
    }
    i += takes_first ? 1 : 0;
    j += takes_second ? 1 : 0;
    last = step;
  }
  if (i != first.size() || j != second.size()) {
    return "the steps do not lead to the end";
  }
  if (score != best) {
    return "the score is " + std::to_string(score) + ", the best one " + std::to_string(best);
  }
  if (found.score != score || found.identities != identities) {
    return "the steps have score " + std::to_string(score) + " and " + std::to_string(identities) +
           " identities, not " + std::to_string(found.score) + " and " +
           std::to_string(found.identities);
  }
  return std::nullopt;
}

}  // namespace fg::bench
