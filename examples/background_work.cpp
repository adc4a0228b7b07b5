// Frames and background work on one pool: 200 tasks of 200 us, like assets that are decoded, are
// posted to the pool that the frames use. How long do frames take meanwhile, with tasks posted
// normally or as background work?
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "support/gain.hpp"

namespace {

using clock = std::chrono::steady_clock;

constexpr int kPieces = 64;
constexpr std::chrono::microseconds kPiece{30};
constexpr std::chrono::microseconds kAsset{200};
constexpr int kAssets = 200;

std::atomic<int> pieces_run{0};

void work_for(std::chrono::nanoseconds time) {
  const clock::time_point until = clock::now() + time;
  while (clock::now() < until) {
  }
}

void frame(fg::pool& pool) {
  fg::parallel_for(pool, 0, kPieces,
                   [](int) {
                     work_for(kPiece);
                     ++pieces_run;
                   },
                   {.grain = 1});
}

struct frame_times {
  std::vector<double> ms;

  void take(fg::pool& pool) {
    const clock::time_point begin = clock::now();
    frame(pool);
    ms.push_back(std::chrono::duration<double, std::milli>(clock::now() - begin).count());
    std::this_thread::sleep_for(std::chrono::milliseconds{1});  // until the screen is ready
  }
  void print(std::string_view beside) {
    std::ranges::sort(ms);
    std::printf("%-22.*s %6.2f ms %6.2f ms %6.2f ms\n", static_cast<int>(beside.size()),
                beside.data(), ms[ms.size() / 2], ms[ms.size() * 95 / 100], ms.back());
  }
};

// Frames until all assets are decoded.
void take_beside_assets(fg::pool& pool, fg::task_priority priority, frame_times& times) {
  std::atomic<int> left{kAssets};
  fg::posted_group assets{pool, priority};
  for (int i = 0; i != kAssets; ++i) {
    assets.spawn([&left] {
      work_for(kAsset);
      --left;
    });
  }
  while (left.load() != 0) {
    times.take(pool);
  }
  assets.wait();
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = examples::pairs_wanted(count, arguments, 30);
  fg::pool pool;
  frame_times alone;
  frame_times beside_normal;
  frame_times beside_background;
  for (int round = 0; round != rounds; ++round) {
    for (int each = 0; each != 10; ++each) {
      alone.take(pool);
    }
    take_beside_assets(pool, fg::task_priority::normal, beside_normal);
    take_beside_assets(pool, fg::task_priority::background, beside_background);
  }
  std::printf("%zu workers; a frame of %d pieces of %lld us takes    median     95 %%     most\n",
              pool.size(), kPieces, static_cast<long long>(kPiece.count()));
  const std::size_t frames =
      alone.ms.size() + beside_normal.ms.size() + beside_background.ms.size();
  alone.print("with nothing beside it");
  beside_normal.print("beside posted tasks");
  beside_background.print("beside background");
  const bool right = pieces_run.load() == static_cast<int>(frames) * kPieces;
  if (!right) {
    std::printf("pieces were lost\n");
  }
  return right ? 0 : 1;
}
