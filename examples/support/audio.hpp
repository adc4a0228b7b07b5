// What the audio examples share: voices, and a callback that is due every period. 64 frames at 48 kHz are
// due every 1.33 ms, however long it takes to mix them.
//
// A desk is made of a number of voices; `desk.mix(how)` returns the buffer of the next period.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <thread>

#include "support/gain.hpp"

namespace examples {

inline constexpr std::size_t kFrames = 64;
inline constexpr double kRate = 48'000;
inline constexpr auto kPeriod = std::chrono::nanoseconds{1'333'333};  // kFrames at kRate

using buffer = std::array<float, kFrames>;

/// A sine with a little feedback: each sample depends on the one before.
class voice {
 public:
  explicit voice(double hertz) : step_{6.283185307 * hertz / kRate} {}

  void add_to(buffer& out) {
    for (float& sample : out) {
      last_ = std::sin(phase_ + 0.3 * last_);
      phase_ += step_;
      sample += static_cast<float>(last_);
    }
  }

 private:
  double step_;
  double phase_ = 0;
  double last_ = 0;
};

struct performance {
  int missed = 0;
  double checksum = 0;  // of everything that was played
};

/// Calls back every period. A callback that ends after its period has missed it: a click.
template <class Desk, class How>
performance play(std::size_t voices, int callbacks, How how) {
  using clock = std::chrono::steady_clock;
  Desk desk{voices};
  performance played;
  auto due = clock::now() + kPeriod;
  for (int i = 0; i != callbacks; ++i) {
    for (const float sample : desk.mix(how)) {
      played.checksum += static_cast<double>(sample);
    }
    const auto now = clock::now();
    if (now > due) {
      ++played.missed;
      due = now;  // the card has played silence meanwhile, and continues from here
    }
    std::this_thread::sleep_until(due);
    due += kPeriod;
  }
  return played;
}

/// How many voices one thread can mix in a period.
template <class Desk, class How>
std::size_t voices_in_a_period(How alone) {
  constexpr std::size_t kVoices = 1000;
  constexpr int kTimes = 20;
  Desk desk{kVoices};
  double all = 0;
  for (int i = 0; i != kTimes; ++i) {
    all += seconds([&] { desk.mix(alone); });
  }
  const double voice_s = all / (kTimes * kVoices);
  std::printf("a voice takes %.2f us a callback on one thread\n", voice_s * 1e6);
  return static_cast<std::size_t>(std::chrono::duration<double>{kPeriod}.count() / voice_s);
}

/// Counts the callbacks that are missed in the two ways, by how busy one thread would be. Returns whether
/// both played the same.
template <class Desk, class Alone, class Shared>
bool count_misses(std::size_t most_voices, int callbacks, Alone alone, Shared shared) {
  bool right = true;
  for (const std::size_t percent : {50U, 90U, 140U}) {
    const std::size_t voices = most_voices * percent / 100;
    const performance plain = play<Desk>(voices, callbacks, alone);
    const performance ours = play<Desk>(voices, callbacks, shared);
    right &= plain.checksum == ours.checksum;
    std::printf("%5zu voices, %3zu %% of one thread: missed %d of %d alone, %d with an assistant\n",
                voices, percent, plain.missed, callbacks, ours.missed);
  }
  if (!right) {
    std::printf("they did not play the same\n");
  }
  return right;
}

}  // namespace examples
