// What the stages of a pipeline do with a token, and the proof that they did.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/core/cache_line.hpp"
#include "kernels/spin/lcg_chain.hpp"

namespace fg::bench {

/// What passes from stage to stage.
struct token {
  std::uint64_t number = 0;
  std::uint64_t state = 0;  ///< of `spin-N`'s chain, which each stage walks on
};

/// The names of the lines of stages: `s-s`, two serial stages, each half of the work, and `s-p-s`, a
/// parallel one between two serial ones, 0.1, 0.8 and 0.1 of it.
[[nodiscard]] std::vector<std::string> token_lines();

/// The stages. The runtime calls them for each token in their order, `make` and `finish` one token at a
/// time and in the order of the tokens.
class token_stages {
 public:
  /// Of one of the lines; a token takes so many steps in all stages together.
  token_stages(std::string_view line, double steps);
  token_stages(const token_stages&) = delete;
  token_stages& operator=(const token_stages&) = delete;

  /// Whether there is a stage between the first and the last.
  [[nodiscard]] bool has_middle() const noexcept { return has_middle_; }

  /// The first stage. Nothing after the last token of a run.
  std::optional<token> make() noexcept {
    if (made_ == tokens_) {
      return std::nullopt;
    }
    token made{.number = made_++};
    made.state = seed_ + made.number;
    pass<0>(made);
    return made;
  }
  /// The parallel one.
  token work(token passing) noexcept {
    pass<1>(passing);
    return passing;
  }
  /// The last one.
  void finish(token passing) noexcept {
    pass<2>(passing);
    is_in_order_ &= passing.number == finished_;
    ++finished_;
    sum_ += passing.state;
  }

  /// Before a run.
  void begin(std::uint64_t tokens) noexcept;
  /// After it. Throws wrong_result unless each token has passed all stages and left in its turn.
  void check() const;

  /// Whether stages note in the following runs, of at most so many tokens, where they are called.
  void watch(std::uint64_t tokens);
  /// The CPUs of all calls of the last watched run.
  [[nodiscard]] std::vector<int> cpus() const;

 private:
  static constexpr std::size_t kStages = 3;

  template <std::size_t Stage>
  void pass(token& passing) noexcept {
    if (!cpus_[Stage].empty()) [[unlikely]] {
      note_cpu(Stage, passing.number);
    }
    if (steps_[Stage] != 0) {
      passing.state = walk_lcg_chain(passing.state, steps_[Stage]);
    }
  }
  void note_cpu(std::size_t stage, std::uint64_t number) noexcept;

  bool has_middle_;
  std::array<std::uint64_t, kStages> steps_;
  std::uint64_t tokens_ = 0;
  std::uint64_t seed_ = 0;
  std::array<std::vector<int>, kStages> cpus_;

  // A line of its own for each serial stage.
  alignas(kCacheLineBytes) std::uint64_t made_ = 0;
  alignas(kCacheLineBytes) std::uint64_t finished_ = 0;
  std::uint64_t sum_ = 0;
  bool is_in_order_ = true;
};

}  // namespace fg::bench
