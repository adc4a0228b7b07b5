// Whether other threads had a part.
#pragma once

#include <chrono>
#include <cstdint>

namespace fg::bench {

/// What `count()` returns: how many tasks ran elsewhere. Where there are other threads, it is tried
/// until there was one, for a while: a busy host may keep the others out of several batches.
template <class Count>
std::uint64_t count_elsewhere(bool others, const Count& count) {
  constexpr std::chrono::milliseconds kTime{500};
  const auto end = std::chrono::steady_clock::now() + kTime;
  std::uint64_t elsewhere = 0;
  do {
    elsewhere = count();
  } while (elsewhere == 0 && others && std::chrono::steady_clock::now() < end);
  return elsewhere;
}

}  // namespace fg::bench
