// A step of a small transformer: one block of eight heads, which look back at 64 tokens, and a
// feed-forward layer in eight slices. A step takes 20 or 60 microseconds, as in inference_step.cpp
// depending on the compiler, and its nodes 1 to 4. The graph is built once and run for each token, by a
// relic or, as `inference_graph 200 pool`, by a pool.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/graph.hpp"
#include "support/gain.hpp"
#include "support/network.hpp"

namespace {

constexpr std::size_t kWidth = 128;
constexpr std::size_t kHeads = 8;
constexpr std::size_t kHeadWidth = kWidth / kHeads;
constexpr std::size_t kContext = 64;  // tokens
constexpr std::size_t kSlices = 8;
constexpr std::size_t kSliceWidth = 4 * kWidth / kSlices;
constexpr int kStepsPerSample = 100;

using vector = std::array<float, kWidth>;

template <std::size_t Rows, std::size_t Columns>
class matrix {
 public:
  // Products have the variance of what they are of.
  explicit matrix(unsigned seed) : values_{examples::numbers(Rows * Columns, seed)} {
    for (float& each : values_) {
      each *= std::sqrt(12.0F / Columns);
    }
  }

  void multiply(const std::array<float, Columns>& in, std::array<float, Rows>& out) const {
    for (std::size_t row = 0; row != Rows; ++row) {
      out[row] = examples::dot<Columns>(&values_[row * Columns], in.data());
    }
  }

 private:
  std::vector<float> values_;
};

// Looks back at the last tokens by their keys, and mixes their values.
class head {
 public:
  explicit head(unsigned seed)
      : query_{seed}, key_{seed + 1}, value_{seed + 2}, project_{seed + 3} {}

  void step(const vector& in) {
    query_.multiply(in, asked_);
    key_.multiply(in, keys_[at_]);
    value_.multiply(in, values_[at_]);
    at_ = (at_ + 1) % kContext;
    for (std::size_t token = 0; token != kContext; ++token) {
      scores_[token] = examples::dot<kHeadWidth>(asked_.data(), keys_[token].data()) / 4;
    }
    examples::softmax(scores_);
    mixed_.fill(0);
    for (std::size_t token = 0; token != kContext; ++token) {
      for (std::size_t i = 0; i != kHeadWidth; ++i) {
        mixed_[i] += scores_[token] * values_[token][i];
      }
    }
    project_.multiply(mixed_, out);
  }

  vector out{};  // its part of the sum

 private:
  using narrow = std::array<float, kHeadWidth>;

  matrix<kHeadWidth, kWidth> query_;
  matrix<kHeadWidth, kWidth> key_;
  matrix<kHeadWidth, kWidth> value_;
  matrix<kWidth, kHeadWidth> project_;
  std::array<narrow, kContext> keys_{};
  std::array<narrow, kContext> values_{};
  std::size_t at_ = 0;
  narrow asked_{};
  std::array<float, kContext> scores_{};
  narrow mixed_{};
};

// Some of the feed-forward layer's hidden units.
class slice {
 public:
  explicit slice(unsigned seed) : up_{seed}, down_{seed + 1} {}

  void step(const vector& in) {
    up_.multiply(in, hidden_);
    for (float& each : hidden_) {
      each = each / (1 + std::exp(-each));
    }
    down_.multiply(hidden_, out);
  }

  vector out{};  // its part of the sum

 private:
  matrix<kSliceWidth, kWidth> up_;
  matrix<kWidth, kSliceWidth> down_;
  std::array<float, kSliceWidth> hidden_{};
};

// Adds the parts to `sum` and scales it to a mean square of 1.
template <class Parts>
void add_and_scale(vector& sum, const Parts& parts) {
  for (const auto& part : parts) {
    for (std::size_t i = 0; i != kWidth; ++i) {
      sum[i] += part.out[i];
    }
  }
  const float scale = 1 / std::sqrt(examples::dot<kWidth>(sum.data(), sum.data()) / kWidth + 1e-5F);
  for (float& each : sum) {
    each *= scale;
  }
}

// A block, and the graph of its step. What a step returns is the next one's token.
class block {
 public:
  block() {
    for (unsigned number = 0; number != kHeads; ++number) {
      heads_.emplace_back(10 * number);
    }
    for (unsigned number = 0; number != kSlices; ++number) {
      slices_.emplace_back(1000 + 10 * number);
    }
    token_.fill(1);

    const auto attention = graph_.add("attention", [this] { add_heads(); });
    const auto token = graph_.add("token", [this] { add_slices(); });
    for (std::size_t number = 0; number != kHeads; ++number) {
      attention.succeed(graph_.add("head " + std::to_string(number),
                                   [this, number] { heads_[number].step(token_); }));
    }
    for (std::size_t number = 0; number != kSlices; ++number) {
      const auto made = graph_.add("slice " + std::to_string(number),
                                   [this, number] { slices_[number].step(attention_); });
      attention.precede(made);
      made.precede(token);
    }
  }

  // The reference: the same in a program without graphs.
  const vector& step() {
    for (head& each : heads_) {
      each.step(token_);
    }
    add_heads();
    for (slice& each : slices_) {
      each.step(attention_);
    }
    add_slices();
    return token_;
  }

  template <class Executor>
  const vector& step(Executor& executor) {
    graph_.run(executor);
    return token_;
  }

  std::string explain() { return graph_.explain(); }

 private:
  void add_heads() {
    attention_ = token_;
    add_and_scale(attention_, heads_);
  }
  void add_slices() {
    token_ = attention_;
    add_and_scale(token_, slices_);
  }

  std::vector<head> heads_;
  std::vector<slice> slices_;
  vector token_{};
  vector attention_{};
  fg::graph graph_;
};

// Measures steps as a graph over those of a serial program. Returns whether both made the same tokens.
template <class Executor>
bool measure(int pairs, Executor& executor, const char* what) {
  block plain;
  block ours;
  vector expected{};
  vector made{};
  const auto alone = [&] {
    for (int step = 0; step != kStepsPerSample; ++step) {
      expected = plain.step();
    }
  };
  const auto shared = [&] {
    for (int step = 0; step != kStepsPerSample; ++step) {
      made = ours.step(executor);
    }
  };
  examples::measure_gain(pairs, alone, shared).print(what);
  std::fputs(ours.explain().c_str(), stdout);
  return made == expected;
}

}  // namespace

int main(int count, char** arguments) {
  const bool on_pool = count == 3 && std::string_view{arguments[2]} == "pool";
  const int pairs = examples::pairs_wanted(on_pool ? 2 : count, arguments, 200);

  block probe;
  const double step_s = examples::seconds([&] {
    for (int step = 0; step != kStepsPerSample; ++step) {
      probe.step();
    }
  });
  std::printf("a step takes %.1f us on one thread\n", step_s * 1e6 / kStepsPerSample);

  bool right = false;
  if (on_pool) {
    fg::pool pool;
    right = pool.run([&] { return measure(pairs, pool, "on a pool"); });
  } else {
    fg::relic relic;
    right = measure(pairs, relic, "with an assistant");
  }
  if (!right) {
    std::printf("the tokens differ\n");
  }
  return right ? 0 : 1;
}
