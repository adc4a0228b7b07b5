// An audio graph: eight tracks, each a synthesizer and a filter, two buses, an echo and the master. 64
// frames at 48 kHz are due every 1.33 ms. The graph is built once, and run in each callback; on a relic
// its two threads divide the nodes as they were measured to take.
//
// As to the callback's thread, see audio_callback.cpp.
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "finegrain/graph.hpp"
#include "support/gain.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::size_t kTracks = 8;
constexpr std::size_t kFrames = 64;
constexpr double kRate = 48'000;
constexpr auto kPeriod = std::chrono::nanoseconds{1'333'333};  // kFrames at kRate

using buffer = std::array<float, kFrames>;

// A sine with a little feedback: each sample depends on the one before.
struct voice {
  double step;
  double phase = 0;
  double last = 0;

  void add_to(buffer& out) {
    for (float& sample : out) {
      last = std::sin(phase + 0.3 * last);
      phase += step;
      sample += static_cast<float>(last);
    }
  }
};

struct track {
  std::vector<voice> voices;
  buffer out{};
  float low = 0;

  void synthesize() {
    out.fill(0);
    for (voice& each : voices) {
      each.add_to(out);
    }
  }
  void filter() {
    for (float& sample : out) {
      low += 0.1F * (sample - low);
      sample = low;
    }
  }
};

// The nodes' closures know where it is.
class desk {
 public:
  // Tracks have different numbers of voices: `voices` is what all have together.
  explicit desk(std::size_t voices) {
    std::vector<fg::graph::node> filters;
    for (std::size_t number = 0; number != kTracks; ++number) {
      track& made = tracks_[number];
      const std::size_t all_shares = kTracks * (kTracks + 1) / 2;
      for (std::size_t i = 0; i != voices * (number + 1) / all_shares; ++i) {
        made.voices.push_back(
            {6.283185307 * (110.0 + static_cast<double>(10 * number + i)) / kRate});
      }
      const auto synthesizer =
          graph_.add("track " + std::to_string(number), [&made] { made.synthesize(); });
      filters.push_back(graph_.add("filter " + std::to_string(number), [&made] { made.filter(); }));
      synthesizer.precede(filters.back());
    }
    const auto left = graph_.add("left bus", [this] { mix_into(buses_[0], 0); });
    const auto right = graph_.add("right bus", [this] { mix_into(buses_[1], 1); });
    for (std::size_t number = 0; number != kTracks; ++number) {
      filters[number].precede(number % 2 == 0 ? left : right);
    }
    const auto echo = graph_.add("echo", [this] { add_echo(); });
    const auto master = graph_.add("master", [this] { finish(); });
    right.precede(echo);
    master.succeed(left, echo);
  }

  [[nodiscard]] fg::graph& graph() { return graph_; }
  [[nodiscard]] const buffer& heard() const { return master_; }

 private:
  void mix_into(buffer& bus, std::size_t first) {
    bus.fill(0);
    for (std::size_t number = first; number < kTracks; number += 2) {
      for (std::size_t frame = 0; frame != kFrames; ++frame) {
        bus[frame] += tracks_[number].out[frame];
      }
    }
  }
  void add_echo() {
    for (float& sample : buses_[1]) {
      float& late = delayed_[at_];
      at_ = (at_ + 1) % delayed_.size();
      sample += 0.5F * late;
      late = sample;
    }
  }
  void finish() {
    for (std::size_t frame = 0; frame != kFrames; ++frame) {
      master_[frame] = std::tanh(0.01F * (buses_[0][frame] + buses_[1][frame]));
    }
  }

  std::array<track, kTracks> tracks_;
  std::array<buffer, 2> buses_{};
  std::array<float, 4800> delayed_{};
  std::size_t at_ = 0;
  buffer master_{};
  fg::graph graph_;
};

struct performance {
  int missed = 0;
  double checksum = 0;  // of everything that was played
};

// Calls back every period: `run(graph)`. A callback that ends after its period has missed it: a click.
template <class Run>
performance play(std::size_t voices, int callbacks, Run run) {
  desk mine{voices};
  mine.graph().prepare();  // the first run would allocate
  performance played;
  auto due = clock_type::now() + kPeriod;
  for (int i = 0; i != callbacks; ++i) {
    run(mine.graph());
    for (const float sample : mine.heard()) {
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
  const auto alone = [](fg::graph& graph) { graph.run(); };
  const auto shared = [&relic](fg::graph& graph) { graph.run(relic); };

  desk probe{1000};
  double all = 0;
  for (int i = 0; i != 20; ++i) {
    all += examples::seconds([&] { alone(probe.graph()); });
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

  desk mine{static_cast<std::size_t>(1333.3 / voice_us)};
  examples::measure_gain(
      pairs, [&] { alone(mine.graph()); }, [&] { shared(mine.graph()); })
      .print("a run of the graph with an assistant");
  std::fputs(mine.graph().explain().c_str(), stdout);
  if (!right) {
    std::printf("they did not play the same\n");
  }
  return right ? 0 : 1;
}
