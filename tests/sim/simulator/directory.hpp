// Which cores hold a cache line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "sim/simulator/machine.hpp"

namespace sim {

/// The most cores: 256 workers, with room for a pool's further threads.
inline constexpr std::size_t kMaxCores = 320;

/// A set of cores.
class core_set {
 public:
  [[nodiscard]] bool has(std::size_t core) const noexcept {
    return (words_[core / 64] >> core % 64 & 1U) != 0;
  }
  void add(std::size_t core) noexcept { words_[core / 64] |= std::uint64_t{1} << core % 64; }
  void remove(std::size_t core) noexcept { words_[core / 64] &= ~(std::uint64_t{1} << core % 64); }
  [[nodiscard]] bool empty() const noexcept { return words_ == decltype(words_){}; }
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) {
      sum += static_cast<std::size_t>(std::popcount(word));
    }
    return sum;
  }
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        use(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
      }
    }
  }

 private:
  std::array<std::uint64_t, kMaxCores / 64> words_{};
};

/// The state of a line, as in the protocol MESI: one core owns it, and may write, or any number
/// share it, or it is in no cache. All zeros: in no cache.
struct alignas(64) line {
  std::uint64_t busy_until = 0;
  std::uint16_t owner = 0;     // plus one; 0: none
  std::uint16_t supplier = 0;  // plus one: of a shared line, the core that answers for it
  core_set sharers;

  [[nodiscard]] bool is_owned_by(std::size_t core) const noexcept { return owner == core + 1; }
  [[nodiscard]] bool is_readable_by(std::size_t core) const noexcept {
    return is_owned_by(core) || sharers.has(core);
  }
};

/// An access that a core's own cache could not serve.
struct transfer {
  std::uint64_t end = 0;     ///< when the core has what it asked for
  bool from_memory = false;  ///< no other core had the line
  core_set lost;             ///< the cores whose copy, or right to write, it has ended
};

/// Serves a core that reads `it` at `now`. Requests for a line wait for each other: one that moves
/// the line until it has arrived, one that only copies it for the machine's occupancy. Requires: not
/// it.is_readable_by(core).
transfer fetch_to_read(line& it, std::size_t core, std::uint64_t now, const machine& on);
/// The same for a write, which leaves the core as the owner. Requires: not it.is_owned_by(core).
transfer fetch_to_write(line& it, std::size_t core, std::uint64_t now, const machine& on);

}  // namespace sim
