// Random lines of stages on the two threads of a relic, against one thread that calls them in their order.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "finegrain/graph/early_end.hpp"
#include "finegrain/pipeline/line.hpp"
#include "finegrain/pipeline/relic_halves.hpp"
#include "finegrain/pipeline/stage.hpp"
#include "finegrain/pipeline/stage_division.hpp"
#include "finegrain/pipeline/token_calls.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/busy.hpp"
#include "support/sanitizer.hpp"

namespace {

using fg::stage_mode;
using fg::detail::stage_division;

constexpr int kLines = fg::test::kSlow ? 60 : 600;

enum class early : std::uint8_t { no, exception, stop };

// What a line does, and when.
struct line_plan {
  std::vector<stage_mode> modes;
  std::vector<std::uint64_t> times;  // of each stage; what the division is told
  std::size_t tokens = 0;
  std::size_t rooms = 1;
  early ends = early::no;
  std::size_t end_stage = 0;
  std::size_t end_token = 0;
  bool is_busy = false;  // stages take 0 to 3 us, not always the same

  explicit line_plan(std::mt19937& random)
      : modes(2 + random() % 5),
        times(modes.size()),
        tokens(random() % 200),
        rooms(1 + random() % fg::detail::relic_halves::kMostRooms),
        is_busy{random() % 2 == 0} {
    for (std::size_t stage = 1; stage != modes.size(); ++stage) {
      constexpr std::array kKinds{stage_mode::parallel, stage_mode::serial_in_order,
                                  stage_mode::serial_out_of_order, stage_mode::parallel};
      modes[stage] = kKinds[random() % kKinds.size()];
    }
    for (std::uint64_t& time : times) {
      time = random() % 1000;
    }
    ends = std::array{early::no, early::no, early::exception, early::stop}[random() % 4];
    end_stage = random() % modes.size();
    end_token = random() % (tokens + 1);
  }
};

// What the stages have seen. All of it is plain memory: two threads in it at once are a race.
class watched_line {
 public:
  explicit watched_line(const line_plan& plan)
      : plan_{plan}, rooms_(plan.rooms), seen_(plan.modes.size()) {}
  watched_line(const watched_line&) = delete;
  watched_line& operator=(const watched_line&) = delete;

  /// One token after the other.
  void run_here() {
    fg::detail::token_calls calls{functions_, this};
    begin(calls.end());
    calls.begin_run();
    calls.begin_batch(false);
    while (calls.make(0)) {
      for (std::size_t stage = 1; stage != plan_.modes.size(); ++stage) {
        calls.call(stage, 0);
      }
    }
    end();
  }
  /// As the plan's times divide it, whatever the stages take.
  void run_divided(fg::relic& relic) {
    fg::detail::token_calls calls{functions_, this};
    const stage_division division{plan_.times, plan_.modes};
    begin(calls.end());
    calls.use_rooms(plan_.rooms);
    calls.begin_run();
    calls.begin_batch(false);
    fg::detail::relic_halves::run(relic, division, calls, plan_.rooms);
    EXPECT_TRUE(calls.is_over());
    EXPECT_EQ(calls.end().take() != nullptr, plan_.ends == early::exception && has_ended());
    end();
  }
  /// As it is measured.
  void run_measured(fg::detail::line& line, fg::relic& relic) {
    begin(line.end());
    bool has_thrown = false;
    try {
      line.run(relic, plan_.rooms);
    } catch (const std::runtime_error&) {
      has_thrown = true;
    }
    static_cast<void>(line.end().take());
    EXPECT_EQ(has_thrown, plan_.ends == early::exception && has_ended());
    end();
  }

  [[nodiscard]] const fg::detail::stage_functions& functions() const noexcept { return functions_; }
  /// What the stages of a whole run have calculated.
  [[nodiscard]] std::vector<std::uint64_t> results() const {
    std::vector<std::uint64_t> all;
    for (const stage_memory& stage : seen_) {
      all.push_back(stage.sum);
    }
    return all;
  }
  /// True if a token has come where the run is to end.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  [[nodiscard]] bool is_right() const noexcept { return is_right_; }

 private:
  struct token_room {
    std::size_t number = 0;
    std::size_t stage = 0;  // the next one
    std::uint64_t value = 0;
    bool is_used = false;
    bool is_right = true;
  };
  struct stage_memory {
    std::size_t calls = 0;
    std::uint64_t sum = 0;
    bool is_right = true;
  };

  static bool make(void* owner, std::size_t room) {
    auto& self = *static_cast<watched_line*>(owner);
    if (self.made_ == self.plan_.tokens) {
      return false;
    }
    token_room& token = self.rooms_[room];
    self.is_right_ &= !token.is_used && token.is_right;
    token = {.number = self.made_, .value = self.made_};
    ++self.made_;
    self.pass(token, 0);
    token.is_used = true;
    return true;
  }
  static void call(void* owner, std::size_t stage, std::size_t room, bool drop) {
    auto& self = *static_cast<watched_line*>(owner);
    token_room& token = self.rooms_[room];
    if (!token.is_used) {
      return;
    }
    token.is_used = false;  // also if it throws
    if (drop) {
      return;
    }
    self.pass(token, stage);
    token.is_used = stage + 1 != self.plan_.modes.size();
  }
  static bool run_whole(void* owner, const fg::detail::early_end& end) {
    if (!make(owner, 0)) {
      return false;
    }
    for (std::size_t stage = 1; stage != static_cast<watched_line*>(owner)->plan_.modes.size();
         ++stage) {
      call(owner, stage, 0, end.is_set());
    }
    return true;
  }

  void pass(token_room& token, std::size_t stage) {
    token.is_right = token.is_right && token.stage++ == stage;
    token.value = token.value * 31 + stage;
    if (plan_.modes[stage] != stage_mode::parallel || stage == 0) {
      stage_memory& seen = seen_[stage];
      seen.is_right &=
          plan_.modes[stage] == stage_mode::serial_out_of_order || seen.calls == token.number;
      ++seen.calls;
      seen.sum = plan_.modes[stage] == stage_mode::serial_in_order ? seen.sum * 7 + token.value
                                                                   : seen.sum + token.value;
    }
    if (plan_.is_busy) {
      fg::test::busy_for(std::chrono::microseconds{(token.number + stage) % 4});
    }
    if (plan_.ends != early::no && plan_.end_stage == stage && plan_.end_token == token.number) {
      has_ended_ = true;
      if (plan_.ends == early::exception) {
        throw std::runtime_error{"as planned"};
      }
      end_->set();
    }
  }

  void begin(fg::detail::early_end& end) {
    end_ = &end;
    made_ = 0;
    seen_.assign(plan_.modes.size(), {});
    rooms_.assign(plan_.rooms, {});
    is_right_ = true;
    has_ended_ = false;
  }
  void end() {
    for (const stage_memory& stage : seen_) {
      is_right_ &= stage.is_right;
    }
    for (const token_room& token : rooms_) {
      is_right_ &= token.is_right && !token.is_used;
    }
  }

  const line_plan& plan_;
  fg::detail::stage_functions functions_{&make, &call, &run_whole, plan_.modes};
  fg::detail::early_end* end_ = nullptr;
  std::vector<token_room> rooms_;
  std::vector<stage_memory> seen_;
  std::size_t made_ = 0;
  bool has_ended_ = false;
  bool is_right_ = true;
};

class random_lines : public testing::Test {
 protected:
  void SetUp() override {
    if (relic_.inline_mode()) {
      GTEST_SKIP() << relic_.placement().reason;
    }
  }

  // Calls `test` with a line and what one thread has calculated with it.
  template <class Test>
  void for_each_line(std::uint32_t seed, const Test& test) {
    std::mt19937 random{seed};
    for (int number = 0; number != kLines && !HasFailure(); ++number) {
      SCOPED_TRACE(number);
      const line_plan plan{random};
      watched_line line{plan};
      line.run_here();
      ASSERT_TRUE(line.is_right()) << "the reference";
      test(line, line.results());
    }
  }

  static void expect_same(const watched_line& line, const std::vector<std::uint64_t>& expected) {
    EXPECT_TRUE(line.is_right());
    if (!line.has_ended()) {
      EXPECT_EQ(line.results(), expected);
    }
  }

  fg::relic relic_;
};

TEST_F(random_lines, do_the_same_wherever_the_border_is) {
  for_each_line(1, [this](watched_line& line, const std::vector<std::uint64_t>& expected) {
    line.run_divided(relic_);
    expect_same(line, expected);
  });
}

TEST_F(random_lines, do_the_same_as_measured) {
  for_each_line(2, [this](watched_line& watched, const std::vector<std::uint64_t>& expected) {
    fg::detail::line line{watched.functions(), &watched};
    for (int runs = 0; runs != 4; ++runs) {
      watched.run_measured(line, relic_);
      expect_same(watched, expected);
    }
  });
}

}  // namespace
