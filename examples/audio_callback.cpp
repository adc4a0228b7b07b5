// An audio callback: 64 frames at 48 kHz are due every 1.33 ms, however long it takes to mix them.
// With more voices than one thread can mix in time, an assistant takes half of them.
//
// The callback's thread here is an ordinary one. In a real program it belongs to the sound system,
// at real-time priority: make the relic there, on its first call, and give the assistant the same
// class by `relic_options::scheduling`.
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "support/gain.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::size_t kFrames = 64;
constexpr double kRate = 48'000;
constexpr auto kPeriod = std::chrono::nanoseconds{1'333'333};  // kFrames at kRate

using buffer = std::array<float, kFrames>;

// A sine with a little feedback: each sample depends on the one before.
struct voice {
  double step;
  double phase = 0;
  double last = 0;

  void mix_into(buffer& out) {
    for (float& sample : out) {
      last = std::sin(phase + 0.3 * last);
      phase += step;
      sample += static_cast<float>(last);
    }
  }
};

struct mixer {
  std::vector<voice> voices;
  buffer low{};
  buffer high{};

  explicit mixer(std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
      voices.push_back({6.283185307 * (110.0 + static_cast<double>(i)) / kRate});
    }
  }

  void mix_half(buffer& out, std::size_t first, std::size_t last) {
    out.fill(0);
    for (std::size_t i = first; i != last; ++i) {
      voices[i].mix_into(out);
    }
  }

  // One callback: `both(f, g)` runs the two halves. The sum is the same, bit for bit, on one thread
  // or two.
  template <class Both>
  buffer mix(Both both) {
    const std::size_t half = voices.size() / 2;
    both([&] { mix_half(low, 0, half); }, [&] { mix_half(high, half, voices.size()); });
    buffer sum{};
    for (std::size_t frame = 0; frame != kFrames; ++frame) {
      sum[frame] = low[frame] + high[frame];
    }
    return sum;
  }
};

struct performance {
  int missed = 0;
  double checksum = 0;  // of everything that was played
};

// Calls back every period. A callback that ends after its period has missed it: a click.
template <class Both>
performance play(std::size_t voices, int callbacks, Both both) {
  mixer desk{voices};
  performance played;
  auto due = clock_type::now() + kPeriod;
  for (int i = 0; i != callbacks; ++i) {
    const buffer heard = desk.mix(both);
    for (const float sample : heard) {
      played.checksum += static_cast<double>(sample);
    }
    const auto now = clock_type::now();
    if (now > due) {
      ++played.missed;
      due = now;  // the card has played silence meanwhile, and continues from here
    }
    std::this_thread::sleep_until(due);
    due += kPeriod;
  }
  return played;
}

}  // namespace

int main(int count, char** arguments) {
  const int pairs = examples::pairs_wanted(count, arguments, 100);
  fg::relic relic;  // learns the period, and is awake when the next callback comes
  const auto alone = [](auto f, auto g) {
    f();
    g();
  };
  const auto shared = [&](auto f, auto g) { fg::fork_join(relic, f, g); };

  mixer probe{1000};
  double all = 0;
  for (int i = 0; i != 20; ++i) {
    all += examples::seconds([&] { probe.mix(alone); });
  }
  const double voice_us = all * 1e6 / (20 * 1000);
  std::printf("a voice takes %.2f us a callback on one thread\n", voice_us);

  bool right = true;
  const int callbacks = 2 * pairs;
  for (const int percent : {50, 90, 140}) {
    const auto voices = static_cast<std::size_t>(1333.3 / voice_us * percent / 100);
    const performance plain = play(voices, callbacks, alone);
    const performance ours = play(voices, callbacks, shared);
    right &= plain.checksum == ours.checksum;
    std::printf("%5zu voices, %3d %% of one thread: missed %d of %d alone, %d with an assistant\n",
                voices, percent, plain.missed, callbacks, ours.missed);
  }

  mixer mine{static_cast<std::size_t>(1333.3 / voice_us)};
  examples::measure_gain(
      pairs, [&] { mine.mix(alone); }, [&] { mine.mix(shared); })
      .print("a callback with an assistant");
  if (!right) {
    std::printf("they did not play the same\n");
  }
  return right ? 0 : 1;
}
