// The relic, step by step: docs/guide_relic.md.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <finegrain/finegrain.hpp>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "expect.hpp"

namespace {

// Stands for what a program does with a message.
std::size_t words_in(const std::string& text) {
  std::size_t words = 0;
  bool within = false;
  for (const char each : text) {
    const bool letter = each != ' ';
    words += letter && !within ? 1U : 0U;
    within = letter;
  }
  return words;
}

struct connection {
  std::vector<std::string> texts = std::vector<std::string>(16, std::string(200, 'a') + " b c");
  bool has_messages = true;

  [[nodiscard]] bool is_open() const { return has_messages; }
  void wait_for_messages() {}
  const std::vector<std::string>& messages() {
    has_messages = false;
    return texts;
  }
};

void one_task(fg::relic& relic, const std::string& left, const std::string& right) {
  auto in_left = relic.fork([&] { return words_in(left); });  // on the assistant
  const std::size_t in_right = words_in(right);               // meanwhile, here
  const std::size_t words = in_left.get() + in_right;         // waits for it
  expect("one task", words == 6);
}

void no_result(fg::relic& relic, std::string& log) {
  relic.submit([&] { log += "a line\n"; });
  // …
  relic.wait();  // from here on log may be read
  expect("no result", log == "a line\n");
}

void a_burst(fg::relic& relic, const std::vector<std::string>& messages) {
  std::vector<std::size_t> words(messages.size());
  const std::size_t half = messages.size() / 2;
  for (std::size_t i = half; i != messages.size(); ++i) {
    relic.submit_into(words[i], [&messages, i] { return words_in(messages[i]); });
  }
  for (std::size_t i = 0; i != half; ++i) {
    words[i] = words_in(messages[i]);
  }
  relic.wait();
  expect("a burst", std::reduce(words.begin(), words.end()) == 3 * messages.size());
}

void not_to_wait(fg::relic& relic, const std::string& message) {
  std::size_t words = 0;
  if (!relic.try_submit([&] { words = words_in(message); })) {
    words = words_in(message);  // 128 tasks are unfinished: it is quicker here
  }
  relic.wait();
  expect("not to wait", words == 3);
}

void two_branches(fg::relic& relic, const std::string& left, const std::string& right) {
  const auto [in_left, in_right] =
      fg::fork_join(relic, [&] { return words_in(left); }, [&] { return words_in(right); });
  expect("two branches", in_left + in_right == 6);
}

void loops(fg::relic& relic, const std::vector<double>& x) {
  std::vector<double> roots(x.size());
  fg::parallel_for(relic, std::size_t{0}, x.size(),
                   [&](std::size_t i) { roots[i] = std::sqrt(x[i]); });
  const double sum = fg::parallel_reduce(relic, std::size_t{0}, x.size(), 0.0,
                                         [&](std::size_t i) { return roots[i]; }, std::plus<>{},
                                         {.deterministic = true});
  expect("loops", sum == 2.0 * static_cast<double>(x.size()));
}

void exceptions(fg::relic& relic) {
  relic.submit([] { throw std::runtime_error{"not a message"}; });
  try {
    relic.wait();
    expect("exceptions", false);
  } catch (const std::runtime_error& error) {
    expect("exceptions", std::string{error.what()} == "not a message");
  }
}

void phases(fg::relic& relic, connection& peer) {
  while (peer.is_open()) {
    peer.wait_for_messages();  // milliseconds: the assistant sleeps
    relic.wake_up_hint();      // it is there for the later ones
    for (const std::string& message : peer.messages()) {
      two_branches(relic, message, message);
    }
    relic.sleep_hint();  // nothing to do for a while: leave its CPU to others
  }
}

void awake_in_pauses() {
  fg::relic never_early{{.anticipation_share = 0}};
  fg::basic_relic<fg::spin_pause> never_asleep;
  std::size_t words = 0;
  never_early.submit([&] { words += words_in("a b"); });
  never_early.wait();
  never_asleep.submit([&] { words += words_in("c"); });
  never_asleep.wait();
  expect("awake in pauses", words == 3);
}

void what_it_did(const fg::relic& relic) {
  if (relic.inline_mode()) {
    std::printf("no assistant: %s\n", relic.inline_reason().c_str());
  }
  const fg::relic_counters done = relic.counters();
  std::printf("%llu tasks over there, %llu kept, asleep %llu times\n",
              static_cast<unsigned long long>(done.tasks),
              static_cast<unsigned long long>(done.tasks_inlined),
              static_cast<unsigned long long>(done.sleeps));
}

}  // namespace

int main() {
  fg::relic relic;
  std::printf("assistant on CPU %d: %s\n", relic.placement().assistant_cpu.value_or(-1),
              relic.placement().reason.c_str());
  const std::string left = "a b c";
  const std::string right = "three short words";
  const std::vector<std::string> messages(64, left);
  one_task(relic, left, right);
  std::string log;
  no_result(relic, log);
  a_burst(relic, messages);
  not_to_wait(relic, left);
  two_branches(relic, left, right);
  loops(relic, std::vector<double>(1000, 4.0));
  exceptions(relic);
  awake_in_pauses();
  connection peer;
  phases(relic, peer);
  what_it_did(relic);
  return is_right ? 0 : 1;
}
