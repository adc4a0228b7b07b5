// Records what happened to each step of a program, and checks it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stress/random/interpret.hpp"
#include "stress/random/plan.hpp"

namespace fg::test {

/// What a step throws: its id.
struct thrown {
  unsigned id;
};

/// What happened to a step. The count of its starts is atomic, so that concurrent ones are
/// detected; everything else is plain, so that a sanitizer detects missing ordering in the library.
struct record {
  enum class fate : std::uint8_t { open, returned, threw };

  std::atomic<unsigned> begun{0};
  std::atomic<bool> ended{false};  // for the program's own waiting, if it is `awaited`
  fate became = fate::open;
  unsigned thrower = 0;  // if it threw: the step that did
  unsigned legs = 0;     // coroutine: completed legs
  std::uint64_t value = 0;
  std::unique_ptr<std::atomic<unsigned char>[]> iterations;

  [[nodiscard]] bool has_begun() const { return begun.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] bool returned() const { return became == fate::returned; }
  [[nodiscard]] bool threw() const { return became == fate::threw; }
};

[[noreturn]] inline void fail(const step& at, const char* what) {
  std::fprintf(stderr, "step [%u]: %s\n", at.id, what);
  std::_Exit(kWrong);
}

inline void expect(bool holds, const step& at, const char* otherwise) {
  if (!holds) [[unlikely]] {
    fail(at, otherwise);
  }
}

/// The step whose exception leaves `f`, if any.
template <class F>
std::optional<unsigned> caught_from(F f) {
  try {
    f();
  } catch (const thrown& exception) {
    return exception.id;
  }
  return std::nullopt;
}

/// Throws the exception of that step, if there is one.
inline void pass_on(const std::optional<unsigned>& caught) {
  if (caught) {
    throw thrown{*caught};
  }
}

/// The records of a program's steps. A thread that has waited for a step may read its record.
class ledger {
 public:
  using value = std::uint64_t;

  explicit ledger(std::size_t steps) : records_(steps) {}

  record& of(const step& at) { return records_[at.id]; }

  /// The values of these parts. All that began have ended; all began, unless some may have been
  /// skipped.
  value sum_of_ended(const step& at, std::size_t first, std::size_t last, bool all) {
    value sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      const record& part = of(at.parts[i]);
      expect(part.has_begun() || !all, at.parts[i], "was never performed");
      expect(part.has_begun() == (part.became != record::fate::open), at.parts[i],
             "has not ended, though it was waited for");
      sum += part.returned() ? part.value : 0;
    }
    return sum;
  }

  [[nodiscard]] bool any_threw(const step& at, std::size_t first, std::size_t last) {
    return std::any_of(at.parts.begin() + static_cast<std::ptrdiff_t>(first),
                       at.parts.begin() + static_cast<std::ptrdiff_t>(last),
                       [this](const step& part) { return of(part).threw(); });
  }

  /// `caught`: the exception that arrived, if any. It must be one of the parts' exceptions, if
  /// there are any.
  void expect_exception_of_parts(const step& at, std::size_t first, std::size_t last,
                                 const std::optional<unsigned>& caught) {
    expect(caught.has_value() == any_threw(at, first, last), at,
           caught ? "an exception arrived that no part threw" : "no exception arrived");
    bool known = !caught;
    for (std::size_t i = first; i < last; ++i) {
      const record& part = of(at.parts[i]);
      known = known || (part.threw() && part.thrower == *caught);
    }
    expect(known, at, "an exception of others arrived");
  }

  value check_fork(const step& at, const std::optional<unsigned>& caught,
                   const std::pair<value, value>& values) {
    sum_of_ended(at, 0, 2, true);
    const record& f = of(at.parts[0]);
    const record& g = of(at.parts[1]);
    expect_exception_of_parts(at, 0, 2, caught);
    if (caught) {
      expect(*caught == (f.threw() ? f : g).thrower, at, "the first branch's exception has to win");
      pass_on(caught);
    }
    expect(values.first == f.value && values.second == g.value, at, "a branch's value is wrong");
    return f.value + g.value;
  }

  void check_group(const step& at, std::size_t first, std::size_t last,
                   const std::optional<unsigned>& caught, bool all) {
    sum_of_ended(at, first, last, all && !any_threw(at, first, last));
    expect_exception_of_parts(at, first, last, caught);
  }

  value check_loop(const step& at, const std::optional<unsigned>& caught) {
    for (unsigned i = 0; i < at.size; ++i) {
      const unsigned times = of(at).iterations[i].load(std::memory_order_relaxed);
      expect(times == 1 || (caught && times == 0), at, "an iteration was left out, or ran twice");
    }
    const value sum = sum_of_ended(at, 0, at.parts.size(), !caught);
    if (!caught || *caught != at.id) {
      expect_exception_of_parts(at, 0, at.parts.size(), caught);
    }
    expect(caught || !at.at, at, "no exception arrived");
    expect(!caught || *caught != at.id || at.at, at, "an exception arrived that nobody threw");
    pass_on(caught);
    return sum;
  }

  void check_got(const step& part, const std::optional<unsigned>& caught, value result) {
    const record& was = of(part);
    expect(was.became != record::fate::open, part, "has not ended, though it was got");
    expect(was.threw() == caught.has_value() && (!caught || *caught == was.thrower), part,
           "its call's exception is wrong");
    expect(caught || result == was.value, part, "its call's value is wrong");
  }

  /// After the end of the last pool: every step that began has ended, including those without a
  /// waiter. Steps with a waiter were checked there; this checks that none ran a second time since.
  void check_at_the_end(const step& at) {
    const record& own = of(at);
    expect(own.begun.load(std::memory_order_relaxed) <= 1, at, "was performed twice");
    expect(own.has_begun() == (own.became != record::fate::open), at, "began and never ended");
    if (own.has_begun() && at.what == action::post) {
      expect(own.ended.load(std::memory_order_relaxed), at, "what it posted was lost");
    }
    if (own.has_begun() && at.what == action::coroutine) {
      expect(own.legs == at.legs.size(), at, "its coroutine was lost on its way");
      sum_of_ended(at, 0, at.parts.size(), true);
    }
    std::ranges::for_each(at.parts, [this](const step& part) { check_at_the_end(part); });
  }

  void prepare_iterations(const step& at) {
    of(at).iterations = std::make_unique<std::atomic<unsigned char>[]>(at.size);
  }

 private:
  std::vector<record> records_;
};

}  // namespace fg::test
