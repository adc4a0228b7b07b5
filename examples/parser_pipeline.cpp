// Three stages: cut a text into blocks of lines, parse the blocks, add them up in order. On one thread,
// and as a pipeline on a pool.
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/pipeline.hpp"
#include "support/gain.hpp"

namespace {

constexpr int kTrades = 40'000;
constexpr std::size_t kBlockBytes = 1000;  // some microseconds to parse

struct trade {
  long time = 0;
  long price = 0;
  long quantity = 0;
};

std::string made_up_trades() {
  std::string text;
  for (int number = 0; number != kTrades; ++number) {
    text += std::to_string(1'000'000 + number) + ",FGRN," + std::to_string(10'000 + number % 97) +
            ',' + std::to_string(number % 13) + '\n';
  }
  return text;
}

// Cuts off whole lines. Empty at the end of the text.
std::optional<std::string_view> next_block(std::string_view& rest) {
  if (rest.empty()) {
    return std::nullopt;
  }
  const std::size_t end = rest.find('\n', kBlockBytes);
  const std::string_view block = rest.substr(0, end == std::string_view::npos ? end : end + 1);
  rest.remove_prefix(block.size());
  return block;
}

std::string_view next_field(std::string_view& rest, char separator) {
  const std::string_view field = rest.substr(0, rest.find(separator));
  rest.remove_prefix(field.size() + 1);
  return field;
}

long number_in(std::string_view field) {
  long number = 0;
  std::from_chars(field.data(), field.data() + field.size(), number);
  return number;
}

std::vector<trade> parsed(std::string_view block) {
  std::vector<trade> trades;
  while (!block.empty()) {
    trade made;
    made.time = number_in(next_field(block, ','));
    next_field(block, ',');
    made.price = number_in(next_field(block, ','));
    made.quantity = number_in(next_field(block, '\n'));
    trades.push_back(made);
  }
  return trades;
}

struct totals {
  int trades = 0;
  long turnover = 0;
  long last_time = 0;
  bool is_in_order = true;

  void add(const std::vector<trade>& block) {
    for (const trade& each : block) {
      is_in_order = is_in_order && each.time > last_time;
      last_time = each.time;
      turnover += each.price * each.quantity;
      ++trades;
    }
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int pairs = examples::pairs_wanted(count, arguments, 100);
  const std::string text = made_up_trades();
  std::string_view rest;

  totals plain;
  const auto alone = [&] {
    rest = text;
    plain = {};
    while (const auto block = next_block(rest)) {
      plain.add(parsed(*block));
    }
  };

  totals ours;
  fg::pool pool;
  fg::pipeline parse{
      fg::serial_in_order([&rest] { return next_block(rest); }),
      fg::parallel([](std::string_view block) { return parsed(block); }),
      fg::serial_in_order([&ours](const std::vector<trade>& trades) { ours.add(trades); })};
  const auto piped = [&] {
    rest = text;
    ours = {};
    parse.run(pool);
  };

  examples::measure_gain(pairs, alone, piped).print("a text as a pipeline");
  const bool right = plain.trades == kTrades && ours.trades == kTrades && ours.is_in_order &&
                     ours.turnover == plain.turnover;
  if (!right) {
    std::printf("wrong: %d trades, turnover %ld, not %ld\n", ours.trades, ours.turnover,
                plain.turnover);
  }
  return right ? 0 : 1;
}
