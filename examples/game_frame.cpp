// A game's frame on a pool: 20 000 creatures think, some much longer than others, move, and those
// in view are gathered in order. Five parallel steps in about a millisecond, one after the other.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "support/gain.hpp"

namespace {

constexpr std::size_t kCreatures = 20'000;
constexpr int kFramesPerSample = 5;

struct creature {
  float x;
  float y;
  float heading;
  std::uint32_t mood;
};

std::vector<creature> hatch() {
  std::vector<creature> all(kCreatures);
  std::uint32_t seed = 1;
  for (creature& each : all) {
    seed = seed * 1664525U + 1013904223U;
    each = {static_cast<float>(seed >> 20), static_cast<float>(seed >> 8 & 4095U), 0, seed};
  }
  return all;
}

// One in 64 looks far ahead, which takes thirty times as long.
void think(creature& self) {
  const int depth = self.mood % 64 == 0 ? 300 : 10;
  for (int step = 0; step != depth; ++step) {
    self.mood = self.mood * 1664525U + 1013904223U;
    self.heading += static_cast<float>(self.mood >> 24) / 256.0F - 0.5F;
  }
}

void move(creature& self) {
  self.x += std::cos(self.heading);
  self.y += std::sin(self.heading);
}

bool is_in_view(const creature& self) {
  return self.x > 1000 && self.x < 3000 && self.y > 1000 && self.y < 3000;
}

struct world {
  std::vector<creature> creatures = hatch();
  std::vector<std::uint32_t> places = std::vector<std::uint32_t>(kCreatures);
  std::vector<std::uint32_t> drawn = std::vector<std::uint32_t>(kCreatures);
  std::uint32_t drawn_count = 0;

  void frame_alone() {
    for (creature& each : creatures) {
      think(each);
    }
    for (creature& each : creatures) {
      move(each);
    }
    drawn_count = 0;
    for (std::size_t i = 0; i != kCreatures; ++i) {
      if (is_in_view(creatures[i])) {
        drawn[drawn_count++] = static_cast<std::uint32_t>(i);
      }
    }
  }

  // Called on a worker of a pool. A loop returns when all of it has run.
  void frame_shared() {
    fg::parallel_for(std::size_t{0}, kCreatures, [&](std::size_t i) { think(creatures[i]); });
    fg::parallel_for(std::size_t{0}, kCreatures, [&](std::size_t i) { move(creatures[i]); });
    // The number of visible creatures up to each one is its index: the serial loop's order.
    fg::parallel_for(std::size_t{0}, kCreatures,
                     [&](std::size_t i) { places[i] = is_in_view(creatures[i]) ? 1U : 0U; });
    fg::parallel_scan(places.begin(), kCreatures, places.begin(), std::plus<>{});
    drawn_count = places.back();
    fg::parallel_for(std::size_t{0}, kCreatures, [&](std::size_t i) {
      if (is_in_view(creatures[i])) {
        drawn[places[i] - 1] = static_cast<std::uint32_t>(i);
      }
    });
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int pairs = examples::pairs_wanted(count, arguments, 100);
  fg::pool pool;
  world plain;
  world ours;

  examples::gain measured = examples::measure_gain(
      pairs,
      [&] {
        for (int frame = 0; frame != kFramesPerSample; ++frame) {
          plain.frame_alone();
        }
      },
      [&] {
        for (int frame = 0; frame != kFramesPerSample; ++frame) {
          pool.run([&] { ours.frame_shared(); });
        }
      });

  std::printf("a frame takes %.2f ms on one thread; %zu workers\n",
              examples::seconds([&] { plain.frame_alone(); }) * 1e3, pool.size());
  pool.run([&] { ours.frame_shared(); });
  measured.print("a frame on the pool");
  plain.drawn.resize(plain.drawn_count);
  ours.drawn.resize(ours.drawn_count);
  const bool right = plain.drawn == ours.drawn && plain.drawn_count != 0;
  if (!right) {
    std::printf("the frames differ\n");
  }
  return right ? 0 : 1;
}
