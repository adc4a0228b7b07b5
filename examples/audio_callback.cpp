// An audio callback: 64 frames at 48 kHz are due every 1.33 ms, however long it takes to mix them.
// With more voices than one thread can mix in time, an assistant takes half of them.
//
// The callback's thread here is an ordinary one. In a real program it belongs to the sound system,
// at real-time priority: make the relic there, on its first call, and give the assistant the same
// class by `relic_options::scheduling`.
#include <cstddef>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "support/audio.hpp"
#include "support/gain.hpp"

namespace {

using examples::buffer;

class mixer {
 public:
  explicit mixer(std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
      voices_.emplace_back(110.0 + static_cast<double>(i));
    }
  }

  // One callback: `both(f, g)` runs the two halves. The sum is the same, bit for bit, on one thread
  // or two.
  template <class Both>
  buffer mix(Both both) {
    const std::size_t half = voices_.size() / 2;
    both([&] { mix_half(low_, 0, half); }, [&] { mix_half(high_, half, voices_.size()); });
    buffer sum{};
    for (std::size_t frame = 0; frame != sum.size(); ++frame) {
      sum[frame] = low_[frame] + high_[frame];
    }
    return sum;
  }

 private:
  void mix_half(buffer& out, std::size_t first, std::size_t last) {
    out.fill(0);
    for (std::size_t i = first; i != last; ++i) {
      voices_[i].add_to(out);
    }
  }

  std::vector<examples::voice> voices_;
  buffer low_{};
  buffer high_{};
};

}  // namespace

int main(int count, char** arguments) {
  const int pairs = examples::pairs_wanted(count, arguments, 100);
  fg::relic relic;  // learns the period, and is awake when the next callback comes
  const auto alone = [](auto f, auto g) {
    f();
    g();
  };
  const auto shared = [&](auto f, auto g) { fg::fork_join(relic, f, g); };

  const std::size_t most = examples::voices_in_a_period<mixer>(alone);
  const bool right = examples::count_misses<mixer>(most, 2 * pairs, alone, shared);
  mixer mine{most};
  examples::measure_gain(
      pairs, [&] { mine.mix(alone); }, [&] { mine.mix(shared); })
      .print("a callback with an assistant");
  return right ? 0 : 1;
}
