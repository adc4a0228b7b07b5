// Pipelines on every executor: order, values, exceptions, stops, bounds.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "finegrain/algorithm/pool/fork_join.hpp"
#include "finegrain/core/clock.hpp"
#include "finegrain/core/stop_token.hpp"
#include "finegrain/pipeline/token_pace.hpp"
#include "finegrain/pool/pool.hpp"
#include "finegrain/relic/relic.hpp"
#include "support/sanitizer.hpp"
#include "unit/pool/pool_setting.hpp"

namespace {

// Calls `test` with each way to run a pipeline: `run(pipeline, options)`.
template <class Test>
void on_each_way_to_run(Test test) {
  const auto with = [&test](auto&... executor) {
    test([&](auto& pipeline, const fg::pipeline_options& options) {
      return pipeline.run(executor..., options);
    });
  };
  fg::relic relic;
  with(relic);
  for (const std::size_t workers : {1U, 2U, 4U}) {
    fg::pool pool{fg::test::workers(workers)};
    with(pool);
    pool.run([&] { with(pool); });
  }
  fg::pool other{{.workers = 3, .policy = "xqueue_wait"}};
  with(other);
  with();
}

// Makes `left` numbers, from 0 on.
struct number_source {
  int left = 0;
  int next = 0;

  void again(int count) {
    left = count;
    next = 0;
  }
  std::optional<int> operator()() {
    if (left == 0) {
      return std::nullopt;
    }
    --left;
    return next++;
  }
};

void spin_for(int units) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{units};
  while (std::chrono::steady_clock::now() < end) {
  }
}

// So that tokens overtake each other.
void spin_unevenly(int number) { spin_for(number % 7 == 3 ? 20 : number % 3); }

int numbers_in_turn = 0;
std::optional<int> next_of_ten() {
  return numbers_in_turn == 10 ? std::nullopt : std::optional{numbers_in_turn++};
}

constexpr int kNumbers = fg::test::kSlow ? 200 : 1000;

TEST(pipeline, passes_each_token_once_and_in_order_through_stages_in_order) {
  on_each_way_to_run([](const auto& run) {
    number_source source;
    std::vector<int> first;
    std::vector<int> last;
    fg::pipeline pipeline{fg::serial_in_order([&source] { return source(); }),
                          fg::parallel([](int number) {
                            spin_unevenly(number);
                            return std::to_string(number);
                          }),
                          fg::serial_in_order([&first](std::string number) {
                            first.push_back(std::stoi(number));
                            return number;
                          }),
                          fg::parallel([](const std::string& number) {
                            spin_unevenly(std::stoi(number));
                            return std::stoi(number);
                          }),
                          fg::serial_in_order([&last](int number) { last.push_back(number); })};
    for (const std::size_t tokens : {0U, 1U, 2U, 3U, 50U}) {
      source.again(kNumbers);
      first.clear();
      last.clear();
      EXPECT_TRUE(run(pipeline, fg::pipeline_options{.tokens = tokens}));
      std::vector<int> expected(kNumbers);
      for (int number = 0; number != kNumbers; ++number) {
        expected[static_cast<std::size_t>(number)] = number;
      }
      ASSERT_EQ(first, expected) << tokens << " tokens";
      ASSERT_EQ(last, expected) << tokens << " tokens";
    }
  });
}

TEST(pipeline, one_token_at_a_time_in_a_serial_stage) {
  on_each_way_to_run([](const auto& run) {
    number_source source;
    long sum = 0;  // plain, as the next one: a race if two tokens are inside
    std::int64_t later = 0;
    fg::pipeline pipeline{fg::serial_out_of_order([&source] { return source(); }),
                          fg::parallel([](int number) {
                            spin_unevenly(number);
                            return number;
                          }),
                          fg::serial_out_of_order([&sum](int number) {
                            sum += number;
                            return number;
                          }),
                          fg::serial_out_of_order([&later](int number) { later += number; })};
    for (int runs = 1; runs <= 5; ++runs) {
      source.again(kNumbers);
      run(pipeline, {});
      EXPECT_EQ(sum, runs * (kNumbers * (kNumbers - 1L) / 2));
      EXPECT_EQ(later, sum);
    }
  });
}

TEST(pipeline, holds_no_more_tokens_than_it_may) {
  on_each_way_to_run([](const auto& run) {
    for (const int tokens : {1, 2, 5}) {
      number_source source{.left = kNumbers};
      std::atomic<int> inside{0};
      std::atomic<int> most{0};
      fg::pipeline pipeline{fg::serial_in_order([&] {
                              const std::optional<int> made = source();
                              if (made) {
                                const int now = ++inside;
                                most = std::max(most.load(), now);
                              }
                              return made;
                            }),
                            fg::parallel([](int number) {
                              spin_unevenly(number);
                              return number;
                            }),
                            fg::parallel([&inside](int) { --inside; })};
      run(pipeline, fg::pipeline_options{.tokens = static_cast<std::size_t>(tokens)});
      EXPECT_EQ(inside, 0);
      EXPECT_LE(most, tokens);
    }
  });
}

// Two tokens meet in the stage: each waits there for the other one.
TEST(pipeline, a_parallel_stage_holds_several_tokens_at_once) {
  fg::pool pool{fg::test::workers(2)};
  int left = 2;
  std::atomic<int> inside{0};
  fg::pipeline pipeline{fg::serial_in_order([&left] { return left-- > 0; }),
                        fg::parallel([&inside] {
                          ++inside;
                          while (inside != 2) {
                            std::this_thread::yield();
                          }
                        })};
  pipeline.run(pool);
  EXPECT_EQ(inside, 2);
}

// Counts the objects that live.
struct living_value {
  explicit living_value(std::atomic<int>& alive) : alive_{&alive} { ++alive; }
  living_value(living_value&& other) noexcept : alive_{other.alive_} { ++*alive_; }
  living_value(const living_value&) = delete;
  living_value& operator=(const living_value&) = delete;
  ~living_value() { --*alive_; }

 private:
  std::atomic<int>* alive_;
};

TEST(pipeline, an_exception_ends_the_run_and_leaves_no_value) {
  on_each_way_to_run([](const auto& run) {
    for (int stage = 0; stage != 3; ++stage) {
      number_source source;
      std::atomic<int> alive{0};
      int fails_in = stage;
      const auto may_fail = [&fails_in](int in, int number) {
        if (in == fails_in && number == 40) {
          throw std::runtime_error{"forty"};
        }
      };
      int ended = 0;
      using value = std::pair<int, std::unique_ptr<living_value>>;
      fg::pipeline pipeline{fg::serial_in_order([&]() -> std::optional<value> {
                              const std::optional<int> number = source();
                              if (!number) {
                                return std::nullopt;
                              }
                              may_fail(0, *number);
                              return value{*number, std::make_unique<living_value>(alive)};
                            }),
                            fg::parallel([&](value number) {
                              spin_unevenly(number.first);
                              may_fail(1, number.first);
                              return std::make_unique<value>(std::move(number));
                            }),
                            fg::serial_in_order([&](std::unique_ptr<value> number) {
                              may_fail(2, number->first);
                              ++ended;
                            })};
      for (int runs = 0; runs != 3; ++runs) {
        source.again(kNumbers);
        ended = 0;
        EXPECT_THROW(run(pipeline, {}), std::runtime_error);
        EXPECT_EQ(alive, 0);
        EXPECT_LE(ended, 40);
        EXPECT_GT(source.left, 0) << "no more tokens than were under way";
      }
      fails_in = -1;
      source.again(kNumbers);
      ended = 0;
      EXPECT_TRUE(run(pipeline, {}));
      EXPECT_EQ(ended, kNumbers) << "it can be run again";
      EXPECT_EQ(alive, 0);
    }
  });
}

TEST(pipeline, a_stop_ends_the_run) {
  on_each_way_to_run([](const auto& run) {
    fg::stop_source stop;
    int made = 0;
    int ended = 0;
    fg::pipeline pipeline{fg::serial_in_order([&] {
                            if (++made == 100) {
                              stop.request_stop();
                            }
                            return true;  // without end
                          }),
                          fg::parallel([] { spin_for(1); }),
                          fg::serial_out_of_order([&ended] { ++ended; })};
    EXPECT_FALSE(run(pipeline, fg::pipeline_options{.stop = stop.get_token()}));
    EXPECT_EQ(made, 100);
    EXPECT_LT(ended, 100);
    EXPECT_FALSE(run(pipeline, fg::pipeline_options{.stop = stop.get_token()}));
    EXPECT_EQ(made, 100) << "it was requested before";

    stop = {};
    made = 0;
    EXPECT_FALSE(run(pipeline, fg::pipeline_options{.stop = stop.get_token()}));
    EXPECT_EQ(made, 100) << "it can be run again";
  });
}

TEST(pipeline, without_tokens) {
  on_each_way_to_run([](const auto& run) {
    int asked = 0;
    fg::pipeline pipeline{fg::serial_in_order([&asked]() -> std::optional<int> {
                            ++asked;
                            return std::nullopt;
                          }),
                          fg::parallel([](int) { FAIL() << "there is none"; })};
    EXPECT_TRUE(run(pipeline, {}));
    EXPECT_TRUE(run(pipeline, {}));
    EXPECT_EQ(asked, 2) << "not asked again after its end";
  });
}

struct alignas(128) wide_value {
  int number;
  char more[200];
};

TEST(pipeline, carries_values_of_any_size_and_alignment) {
  on_each_way_to_run([](const auto& run) {
    number_source source;
    int wrong = 0;
    int ended = 0;
    const auto is_aligned = [](const wide_value& value) {
      return reinterpret_cast<std::uintptr_t>(&value) % alignof(wide_value) == 0;
    };
    fg::pipeline pipeline{fg::serial_in_order([&source] { return source(); }),
                          fg::parallel([](int number) { return wide_value{number, {}}; }),
                          fg::serial_in_order([&](wide_value&& value) {
                            wrong += is_aligned(value) && value.number == ended++ ? 0 : 1;
                          })};
    source.again(300);
    run(pipeline, {});
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(ended, 300);
  });
}

TEST(pipeline, stages_may_use_the_pool_and_run_pipelines) {
  fg::pool pool{fg::test::workers(3)};
  number_source outer{.left = 50};
  std::atomic<int> sum{0};
  fg::pipeline pipeline{fg::serial_in_order([&outer] { return outer(); }), fg::parallel([&](int) {
                          number_source inner{.left = 20};
                          fg::pipeline within{fg::serial_in_order([&inner] { return inner(); }),
                                              fg::parallel([&sum](int) {
                                                fg::fork_join([&sum] { ++sum; }, [&sum] { ++sum; });
                                              })};
                          within.run(pool);
                        })};
  pipeline.run(pool);
  EXPECT_EQ(sum, 50 * 20 * 2);
}

TEST(pipeline, runs_here_on_other_threads_than_the_relics) {
  fg::relic relic;
  std::thread{[&relic] {
    number_source source{.left = 100};
    const std::thread::id here = std::this_thread::get_id();
    int elsewhere = 0;
    fg::pipeline pipeline{
        fg::serial_in_order([&source] { return source(); }),
        fg::parallel([&](int) { elsewhere += std::this_thread::get_id() == here ? 0 : 1; })};
    EXPECT_TRUE(pipeline.run(relic));
    EXPECT_EQ(source.left, 0);
    EXPECT_EQ(elsewhere, 0);
  }}.join();
}

TEST(pipeline, a_value_is_destroyed_before_the_next_stage_but_one_begins) {
  on_each_way_to_run([](const auto& run) {
    std::atomic<int> alive{0};
    bool is_left = true;
    int before_last = -1;
    fg::pipeline pipeline{
        fg::serial_in_order([&]() -> std::optional<living_value> {
          return std::exchange(is_left, false) ? std::optional<living_value>{alive} : std::nullopt;
        }),
        fg::parallel([](const living_value&) {}),
        fg::serial_in_order([&] { before_last = alive; })};
    run(pipeline, {});
    EXPECT_EQ(before_last, 0);
  });
}

struct with_members {
  int number = 0;
  [[nodiscard]] int get() const { return number; }
};

TEST(pipeline, takes_all_that_can_be_called) {
  on_each_way_to_run([](const auto& run) {
    numbers_in_turn = 0;
    int sum = 0;
    fg::pipeline pipeline{
        fg::serial_in_order(&next_of_ten),
        fg::parallel([](int number) { return with_members{number}; }),
        fg::parallel(&with_members::get),
        fg::serial_in_order([&sum](int number) -> int& { return sum += number; })};
    run(pipeline, {});
    EXPECT_EQ(sum, 45);
  });
}

TEST(pipeline, refuses_more_tokens_than_memory_could_hold) {
  fg::pool pool{fg::test::workers(1)};
  int calls = 0;
  fg::pipeline pipeline{fg::serial_in_order([&calls] { return ++calls == 0; }),
                        fg::parallel([] {})};
  EXPECT_THROW(pipeline.run(pool, {.tokens = ~std::size_t{0}}), std::length_error);
  EXPECT_EQ(calls, 0);
}

TEST(token_pace, a_second_slow_batch_tells_that_tokens_have_slowed) {
  const std::uint64_t token = fg::to_ticks(std::chrono::microseconds{10});
  fg::detail::token_pace pace;
  auto batch = [&pace, now = std::uint64_t{1}](std::uint64_t each) mutable {
    pace.begin(now);
    now += 64 * each;
    return pace.is_slow(64, now);
  };
  EXPECT_FALSE(batch(token));
  EXPECT_FALSE(batch(2 * token));
  EXPECT_TRUE(batch(100 * token));
  EXPECT_FALSE(pace.take_has_slowed()) << "one may have lost its CPU";
  EXPECT_FALSE(batch(token));
  EXPECT_TRUE(batch(100 * token));
  EXPECT_TRUE(batch(100 * token));
  EXPECT_TRUE(pace.take_has_slowed());
  EXPECT_FALSE(pace.take_has_slowed());
  EXPECT_FALSE(batch(100 * token)) << "that is usual now";
}

// A pool of one worker shares nothing, and another one may follow at its address.
TEST(pipeline, what_was_learnt_of_a_pool_is_not_true_of_the_next_one) {
  std::optional<fg::pool> pool;
  const std::thread::id here = std::this_thread::get_id();
  int left = 0;
  std::atomic<int> elsewhere{0};
  fg::pipeline pipeline{fg::serial_in_order([&left] { return left-- > 0; }),
                        fg::parallel([&elsewhere, here] {
                          std::this_thread::sleep_for(std::chrono::milliseconds{1});
                          elsewhere += std::this_thread::get_id() == here ? 0 : 1;
                        })};
  for (const std::size_t workers : {1U, 4U}) {
    pool.emplace(fg::test::workers(workers));
    left = 200;
    pipeline.run(*pool);
  }
  EXPECT_GT(elsewhere, 0);
}

// Long stages are shared from the first token on.
TEST(pipeline, a_relic_has_the_assistant_run_the_longer_half) {
  fg::relic relic;
  if (relic.inline_mode()) {
    GTEST_SKIP() << relic.placement().reason;
  }
  const std::thread::id here = std::this_thread::get_id();
  int left = 0;
  std::atomic<int> elsewhere{0};
  fg::pipeline pipeline{fg::serial_in_order([&left] { return left-- > 0; }),
                        fg::serial_in_order([&elsewhere, here] {
                          spin_for(50);
                          elsewhere += std::this_thread::get_id() == here ? 0 : 1;
                        })};
  for (int runs = 0; runs != 1000 && elsewhere == 0; ++runs) {  // it may lack a CPU
    left = 20;
    pipeline.run(relic);
  }
  EXPECT_GT(elsewhere, 0);
}

// Of a line whose parallel stage has most of the work.
TEST(pipeline, a_relic_calls_a_long_parallel_stage_on_both_threads) {
  fg::relic relic{{.main_helps = false}};  // else it may run what is the assistant's
  if (relic.inline_mode()) {
    GTEST_SKIP() << relic.placement().reason;
  }
  const std::thread::id here = std::this_thread::get_id();
  int left = 0;
  int passed = 0;
  std::atomic<int> elsewhere{0};
  fg::pipeline pipeline{fg::serial_in_order([&left] { return left-- > 0; }),
                        fg::parallel([&elsewhere, here] {
                          spin_for(50);
                          elsewhere += std::this_thread::get_id() == here ? 0 : 1;
                        }),
                        fg::serial_in_order([&passed] { ++passed; })};
  const auto is_divided = [&] { return elsewhere != 0 && elsewhere != passed; };
  for (int runs = 0; runs != 1000 && !is_divided(); ++runs) {  // it may lack a CPU
    left = 20;
    passed = elsewhere = 0;
    pipeline.run(relic);
  }
  EXPECT_TRUE(is_divided());
}

TEST(pipeline, says_what_it_knows) {
  int left = 0;
  fg::pipeline pipeline{fg::serial_in_order([&left] { return left-- > 0; }),
                        fg::parallel([] { spin_for(20); }), fg::serial_out_of_order([] {})};
  EXPECT_EQ(pipeline.explain(),
            "3 stages: so far run by no relic and no pool\n"
            "  stage 1, serial in order\n  stage 2, parallel\n  stage 3, serial out of order\n");
  left = 5;
  pipeline.run();
  EXPECT_EQ(pipeline.explain().find("3 stages: so far run by no"), 0U) << "that learns nothing";

  fg::pool alone{fg::test::workers(1)};
  left = 5;
  pipeline.run(alone);
  EXPECT_EQ(pipeline.explain().find("3 stages: kept on the calling thread, as there is no other\n"),
            0U)
      << pipeline.explain();

  fg::relic relic;
  if (relic.inline_mode()) {
    GTEST_SKIP() << relic.placement().reason;
  }
  left = 5;
  pipeline.run(relic);
  const std::string text = pipeline.explain();
  for (const char* part : {"3 stages: ", "\na value takes ", " ns on 2 threads\n",
                           "on the main thread:\n  stage 1, ", "on the main thread for ",
                           " % of the values, else on the assistant:\n  stage 2, parallel, ",
                           "\non the assistant:\n  stage 3, serial out of order, "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  }
}

TEST(pipeline, refuses_to_be_run_while_it_runs) {
  fg::pool pool{fg::test::workers(2)};
  int left = 3;
  int refused = 0;
  std::function<void()> run_again;
  fg::pipeline line{fg::serial_in_order([&] { return left-- > 0; }), fg::serial_in_order([&] {
                      try {
                        run_again();
                      } catch (const std::logic_error&) {
                        ++refused;
                      }
                    })};
  run_again = [&] { line.run(pool); };
  line.run(pool);
  EXPECT_EQ(refused, 3);
  left = 1;
  run_again = [&] { line.run(); };
  line.run();
  EXPECT_EQ(refused, 4);
}

}  // namespace
