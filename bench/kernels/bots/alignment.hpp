// Pairwise alignment of proteins: one task per pair.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/bots/application.hpp"
#include "kernels/bots/protein_alignment.hpp"
#include "kernels/bots/tasks.hpp"

namespace fg::bench::bots {

/// Finds the best alignment of each pair of the `proteins`, with its score and its number of
/// identical residues: one task per pair, all spawned by a single loop. Source: "Barcelona OpenMP
/// Tasks Suite" (see applications.hpp), alignment, in the version whose tasks one thread spawns.
/// Ours: the proteins, of about 130 residues and most of them related, the scores, and that both
/// are aligned as a whole, once, without a prior search for the best parts.
class alignment final : public application {
 public:
  explicit alignment(std::size_t proteins) : proteins_(seeded_proteins(proteins)) {
    for (std::size_t second = 1; second < proteins_.size(); ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        pairs_.push_back({.first = &proteins_[first],
                          .second = &proteins_[second],
                          .best = best_score(proteins_[first], proteins_[second]),
                          .found = {}});
      }
    }
  }

  void prepare() override {
    for (pair& each : pairs_) {
      each.found = empty_alignment(*each.first, *each.second);
    }
  }

  template <task_handle Tasks>
  void run(Tasks tasks) {
    typename Tasks::group all{tasks};
    for (pair& each : pairs_) {
      all.spawn([&each](Tasks) { align(*each.first, *each.second, each.found); });
    }
    all.wait();
  }

  [[nodiscard]] std::optional<std::string> fault() const override {
    for (const pair& each : pairs_) {
      if (auto wrong = fault_of_alignment(*each.first, *each.second, each.found, each.best)) {
        return "proteins " + std::to_string(each.first - proteins_.data()) + " and " +
               std::to_string(each.second - proteins_.data()) + ": " + *wrong;
      }
    }
    return std::nullopt;
  }

 private:
  struct pair {
    const protein* first;
    const protein* second;
    int best;
    protein_alignment found;
  };

  std::vector<protein> proteins_;
  std::vector<pair> pairs_;
};

}  // namespace fg::bench::bots
