// From one core to a cluster, as far as one machine goes: docs/cluster.md.
#include <cstdio>
#include <finegrain/finegrain.hpp>
#include <functional>

#include "expect.hpp"
#include "queens.hpp"

namespace {

// ---- its sibling

long placements_from(unsigned first, unsigned last) {
  long found = 0;
  for (unsigned square = first; square != last; square <<= 1U) {
    found += placements(board{}.with(square));
  }
  return found;
}

long on_a_relic(fg::relic& relic) {
  constexpr unsigned kMiddle = 1U << (kSize / 2);
  const auto [low, high] = fg::fork_join(
      relic, [] { return placements_from(1, kMiddle); },
      [] { return placements_from(kMiddle, kAll + 1); });
  return low + high;
}

// ---- all cores of the machine

long on_a_pool(const board& above, int rows) {
  if (rows == 0) {
    return placements(above);
  }
  return fg::parallel_reduce(
      0, kSize, 0L,
      [&](int column) {
        const unsigned square = 1U << static_cast<unsigned>(column);
        return above.is_free(square) ? on_a_pool(above.with(square), rows - 1) : 0L;
      },
      std::plus<>{});
}

}  // namespace

int main() {
  expect("one core", placements({}) == 724);

  fg::relic relic;
  expect("its sibling", on_a_relic(relic) == 724);

  fg::pool pool;
  const long found = pool.run([] { return on_a_pool({}, 3); });
  expect("all cores", found == 724);

  std::puts(is_right ? "ok" : "not as the page says");
  return is_right ? 0 : 1;
}
