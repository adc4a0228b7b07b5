// A stream of JSON documents that arrive in small bursts, as from a feed: how long after the
// arrival of its burst each one is parsed, on one thread and with an assistant.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "finegrain/finegrain.hpp"
#include "support/gain.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::size_t kBurst = 4;
constexpr int kBursts = 1000;  // per sample

std::string order(int number) {
  return R"({"order":)" + std::to_string(number) + R"(,"symbol":"FGRN","side":"buy","price":)" +
         std::to_string(1000 + number % 97) + R"(.25,"quantity":)" + std::to_string(number % 13) +
         R"(,"tags":["day","limit"],"legs":[{"ratio":1,"venue":"XA"},{"ratio":2,"venue":"XB"}]})";
}

struct parsed {
  clock_type::time_point when;
  long quantity = 0;
};

parsed parse(const std::string& text) {
  const auto document = nlohmann::json::parse(text);
  const long quantity = document.at("quantity").get<long>();
  return {clock_type::now(), quantity};
}

struct latencies {
  std::vector<double> us;
  long quantity = 0;

  void print(const char* who) {
    std::ranges::sort(us);
    const auto at = [this](double share) {
      return us[static_cast<std::size_t>(share * static_cast<double>(us.size() - 1))];
    };
    std::printf("%-17s p50 %6.2f us   p90 %6.2f   p99 %6.2f   p99.9 %7.2f\n", who, at(0.5), at(0.9),
                at(0.99), at(0.999));
  }
};

// `parse_all(burst, into)` parses each document of the burst.
template <class ParseAll>
latencies read(const std::vector<std::string>& documents, ParseAll parse_all) {
  latencies seen;
  for (std::size_t first = 0; first + kBurst <= documents.size(); first += kBurst) {
    parsed done[kBurst];
    const auto arrived = clock_type::now();
    parse_all(&documents[first], done);
    for (const parsed& each : done) {
      seen.us.push_back(std::chrono::duration<double, std::micro>(each.when - arrived).count());
      seen.quantity += each.quantity;
    }
  }
  return seen;
}

}  // namespace

int main(int count, char** arguments) {
  const int pairs = examples::pairs_wanted(count, arguments, 100);
  std::vector<std::string> documents;
  long expected = 0;
  for (int number = 0; number != kBursts * static_cast<int>(kBurst); ++number) {
    documents.push_back(order(number));
    expected += number % 13;
  }
  fg::relic relic;

  const auto parse_range = [](const std::string* texts, parsed* into, std::size_t first,
                              std::size_t last) {
    for (std::size_t i = first; i != last; ++i) {
      into[i] = parse(texts[i]);
    }
  };
  const auto alone = [&](const std::string* texts, parsed* into) {
    parse_range(texts, into, 0, kBurst);
  };
  const auto shared = [&](const std::string* texts, parsed* into) {
    fg::fork_join(
        relic, [&] { parse_range(texts, into, 0, kBurst / 2); },
        [&] { parse_range(texts, into, kBurst / 2, kBurst); });
  };

  latencies plain;
  latencies ours;
  const auto gather = [&](latencies& all, auto how) {
    const latencies more = read(documents, how);
    all.us.insert(all.us.end(), more.us.begin(), more.us.end());
    all.quantity = more.quantity;
  };
  examples::gain measured =
      examples::measure_gain(pairs, [&] { gather(plain, alone); }, [&] { gather(ours, shared); });
  plain.print("alone");
  ours.print("with an assistant");
  measured.print("a burst with an assistant");
  const bool right = plain.quantity == expected && ours.quantity == expected;
  if (!right) {
    std::printf("wrong: %ld and %ld, not %ld\n", plain.quantity, ours.quantity, expected);
  }
  return right ? 0 : 1;
}
