// Prints programs in readable form.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "stress/random/plan.hpp"

namespace fg::test {

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string pool_of(const step& at) { return " pool " + number(at.pool); }

std::string manner_of(const step& at) {
  switch (at.how) {
    case manner::lazy:
      return "lazily";
    case manner::dynamic:
      return "dynamically";
    case manner::fixed:
      return "evenly";
  }
  return {};
}

std::string by_name(const step& at) { return at.names_pool ? " over" + pool_of(at) : ""; }

std::string group_words(const step& at) {
  std::string words = "group of " + number(at.parts.size());
  words += at.relays ? ", each task spawns the next" : "";
  words += at.reused ? ", the last after a first wait" : "";
  words += at.unwaited ? ", left to its destructor" : "";
  if (at.at) {
    words += ", cancelled " + std::string{at.cancelled_by_task ? "by" : "after spawning"} +
             " task " + number(*at.at);
  }
  return words;
}

std::string loop_words(const step& at) {
  std::string words = "loop of " + number(at.size) + " dealt out " + manner_of(at);
  words += at.ranges ? " in ranges" : "";
  words += by_name(at);
  words += at.at ? ", iteration " + number(*at.at) + " throws" : "";
  words += at.parts.empty() ? "" : ", the first iterations:";
  return words;
}

std::string relic_words(const step& at) {
  switch (at.how) {
    case manner::lazy:
      return "a relic; submits, then waits:";
    case manner::dynamic:
      return "a relic; forks:";
    case manner::fixed:
      return "a relic; loop of " + number(at.size) +
             (at.at ? ", iteration " + number(*at.at) + " throws" : "") + ", the first iterations:";
  }
  return {};
}

std::string words_of(const step& at) {
  switch (at.what) {
    case action::work:
      return "work for " + number(at.size * std::uint64_t{100}) + " ns";
    case action::fork:
      return "fork" + by_name(at);
    case action::group:
      return group_words(at);
    case action::loop:
      return loop_words(at);
    case action::reduce:
      return "reduce " + number(at.size) + by_name(at) +
             (at.deterministic ? ", deterministic" : "");
    case action::run:
      return "run in" + pool_of(at);
    case action::async:
      return "async calls in" + pool_of(at) + (at.unwaited ? ", the last is not got" : "");
    case action::post:
      return "post to" + pool_of(at) + " at priority " + std::to_string(at.size) +
             (at.awaited ? ", and wait until it has ended" : "");
    case action::coroutine:
      return std::string{"coroutine"} + (at.awaited ? ", waited for" : "");
    case action::lock:
      return "mutex " + number(at.size) + (at.width == 0 ? ", if it is free soon" : "") +
             ", held around an isolated:";
    case action::relic:
      return relic_words(at);
    case action::chain:
      return (at.forks == 0 ? "" : number(at.forks) + " forks deep, ") + number(at.width) +
             " calls in" + pool_of(at) + ", each waits for a call of its own, " + number(at.size) +
             " levels deep";
    case action::own:
      return "make" + pool_of(at) + ", destroyed after:";
    case action::raise:
      return "raise flag " + number(at.size);
    case action::await:
      return "await flag " + number(at.size);
  }
  return {};
}

void add_line(std::string& text, unsigned indent, const std::string& words) {
  text += std::string(2 * std::size_t{indent}, ' ') + words + "\n";
}

void add_step(std::string& text, unsigned indent, const step& at) {
  add_line(text, indent,
           words_of(at) + (at.throws ? ", then throw" : "") + "  [" + number(at.id) + "]");
  for (std::size_t i = 0; i < at.parts.size(); ++i) {
    unsigned inner = indent + 1;
    if (!at.legs.empty()) {
      const leg& way = at.legs[i];
      add_line(text, inner,
               (way.by_call ? "awaits a call in pool " : "goes to pool ") + number(way.pool));
      ++inner;
    }
    add_step(text, inner, at.parts[i]);
  }
}

void add_pool(std::string& text, std::size_t id, const pool_plan& pool) {
  add_line(text, 1,
           "pool " + number(id) + (pool.own ? ", a step's own: workers " : ": workers ") +
               number(pool.workers) + ", policy " +
               (pool.policy.empty() ? "the default" : pool.policy) + ", queue capacity " +
               number(pool.queue_capacity) + ", spin " + number(pool.spin_us) + " us, help stack " +
               number(pool.help_stack_kib) + " KiB");
}

}  // namespace

std::string show(const program& shown) {
  std::string text = "program " + number(shown.seed) + "\n";
  for (std::size_t i = 0; i < shown.pools.size(); ++i) {
    add_pool(text, i, shown.pools[i]);
  }
  for (const phase& each : shown.phases) {
    add_line(text, 1, each.title);
    for (std::size_t thread = 0; thread < each.threads.size(); ++thread) {
      add_line(text, 2, "thread " + number(thread));
      for (const step& at : each.threads[thread]) {
        add_step(text, 3, at);
      }
    }
  }
  add_line(text, 1, "destroy the pools, the last one first");
  return text;
}

}  // namespace fg::test
