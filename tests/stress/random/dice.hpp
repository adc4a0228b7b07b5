// Random numbers that are the same everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace fg::test {

/// splitmix64 (Steele, Lea, Flood 2014). The standard library's distributions differ between
/// implementations, and the numbers of a seed should not.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

class dice {
 public:
  explicit dice(std::uint64_t seed) : state_{mixed(seed)} {}

  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  unsigned below(std::size_t limit) { return static_cast<unsigned>(next() % limit); }
  unsigned between(unsigned least, unsigned most) { return least + below(most - least + 1); }
  bool one_in(unsigned chances) { return below(chances) == 0; }
  bool percent(unsigned chance) { return below(100) < chance; }

  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace fg::test
