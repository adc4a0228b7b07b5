// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator/directory.hpp"

#include <algorithm>

namespace sim {
namespace {

std::uint16_t plus_one(std::size_t core) { return static_cast<std::uint16_t>(core + 1); }

transfer fetch_from_memory(line& it, std::size_t core, std::uint64_t begin, const machine& on) {
  it.owner = plus_one(core);  // alone: as MESI's E, a later write needs no request
  it.busy_until = begin + on.memory;
  return {.end = it.busy_until, .from_memory = true, .lost = {}};
}

// What a shared line's copies take to end: the farthest one's answer.
std::uint64_t invalidation(const line& it, std::size_t core, const machine& on) {
  std::uint64_t longest = 0;
  it.sharers.for_each([&](std::size_t other) {
    longest = std::max(longest, other == core ? 0 : on.transfer(other, core));
  });
  return longest;
}

}  // namespace

transfer fetch_to_read(line& it, std::size_t core, std::uint64_t now, const machine& on) {
  const std::uint64_t begin = std::max(now, it.busy_until);
  transfer done;
  if (it.owner != 0) {
    const std::size_t owner = it.owner - 1U;
    done.end = it.busy_until = begin + on.transfer(owner, core);
    done.lost.add(owner);  // its right to write
    it.supplier = it.owner;
    it.owner = 0;
    it.sharers.add(owner);
  } else if (!it.sharers.empty()) {
    done.end = begin + on.transfer(it.supplier - 1U, core);
    it.busy_until = begin + on.occupancy;
  } else {
    return fetch_from_memory(it, core, begin, on);
  }
  it.sharers.add(core);
  return done;
}

transfer fetch_to_write(line& it, std::size_t core, std::uint64_t now, const machine& on) {
  const std::uint64_t begin = std::max(now, it.busy_until);
  transfer done;
  if (it.owner != 0) {
    done.end = begin + on.transfer(it.owner - 1U, core);
    done.lost.add(it.owner - 1U);
  } else if (!it.sharers.empty()) {
    done.end = begin + invalidation(it, core, on);
    done.lost = it.sharers;
    done.lost.remove(core);
    it.sharers = {};
  } else {
    return fetch_from_memory(it, core, begin, on);
  }
  it.owner = plus_one(core);
  it.busy_until = done.end;
  return done;
}

}  // namespace sim
