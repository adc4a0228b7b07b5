// An audio graph: eight tracks, each a synthesizer and a filter, two buses, an echo and the master. 64
// frames at 48 kHz are due every 1.33 ms. The graph is built once, and run in each callback; on a relic
// its two threads divide the nodes as they were measured to take.
//
// As to the callback's thread, see audio_callback.cpp.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "finegrain/graph.hpp"
#include "support/audio.hpp"
#include "support/gain.hpp"

namespace {

using examples::buffer;

constexpr std::size_t kTracks = 8;

struct track {
  std::vector<examples::voice> voices;
  buffer out{};
  float low = 0;

  void synthesize() {
    out.fill(0);
    for (examples::voice& each : voices) {
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
        made.voices.emplace_back(110.0 + static_cast<double>(10 * number + i));
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
    graph_.prepare();  // the first run would allocate
  }

  // One callback: `run(graph)` runs it.
  template <class Run>
  const buffer& mix(Run run) {
    run(graph_);
    return master_;
  }
  std::string explain() { return graph_.explain(); }

 private:
  void mix_into(buffer& bus, std::size_t first) {
    bus.fill(0);
    for (std::size_t number = first; number < kTracks; number += 2) {
      for (std::size_t frame = 0; frame != bus.size(); ++frame) {
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
    for (std::size_t frame = 0; frame != master_.size(); ++frame) {
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

}  // namespace

int main(int count, char** arguments) {
  const int pairs = examples::pairs_wanted(count, arguments, 100);
  fg::relic relic;  // learns the period, and is awake when the next callback comes
  const auto alone = [](fg::graph& graph) { graph.run(); };
  const auto shared = [&relic](fg::graph& graph) { graph.run(relic); };

  const std::size_t most = examples::voices_in_a_period<desk>(alone);
  const bool right = examples::count_misses<desk>(most, 2 * pairs, alone, shared);
  desk mine{most};
  examples::measure_gain(
      pairs, [&] { mine.mix(alone); }, [&] { mine.mix(shared); })
      .print("a run of the graph with an assistant");
  std::fputs(mine.explain().c_str(), stdout);
  return right ? 0 : 1;
}
