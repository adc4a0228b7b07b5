// The contract that holds both with an assistant and inline.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/relic/relic.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/on_thread.hpp"
#include "support/restrict_to_cpu.hpp"

namespace {

enum class mode { kAssisted, kInlined };

class relic_contract : public testing::TestWithParam<mode> {
 protected:
  // Runs `body(relic)` on a thread of its own, with or without an assistant.
  template <class Body>
  void with_relic(Body&& body) {
    fg::test::on_thread([&body] {
      if (GetParam() == mode::kInlined) {
        fg::test::restrict_this_thread_to(fg::usable_cpus().front());
      }
      fg::relic relic;
      ASSERT_EQ(relic.inline_mode(), GetParam() == mode::kInlined) << relic.inline_reason();
      body(relic);
    });
  }
};

INSTANTIATE_TEST_SUITE_P(modes, relic_contract, testing::Values(mode::kAssisted, mode::kInlined),
                         [](const auto& param_info) {
                           return param_info.param == mode::kAssisted ? "assisted" : "inlined";
                         });

TEST_P(relic_contract, runs_a_closure) {
  with_relic([](fg::relic& relic) {
    int result = 0;
    relic.submit([&result] { result = 42; });
    relic.wait();
    EXPECT_EQ(result, 42);
  });
}

TEST_P(relic_contract, runs_a_routine_with_its_arguments) {
  with_relic([](fg::relic& relic) {
    int result = 20;
    const auto increment = [](void* arguments) { ++*static_cast<int*>(arguments); };
    relic.submit(+increment, &result);
    EXPECT_TRUE(relic.try_submit(+increment, &result));
    relic.wait();
    EXPECT_EQ(result, 22);
  });
}

TEST_P(relic_contract, runs_tasks_in_the_order_of_submission) {
  with_relic([](fg::relic& relic) {
    std::vector<int> order;
    std::vector<int> expected;
    for (int i = 0; i < 1000; ++i) {
      expected.push_back(i);
      relic.submit([&order, i] { order.push_back(i); });
      if (i % 37 == 0) {
        relic.wait();
      }
    }
    relic.wait();
    EXPECT_EQ(order, expected);
  });
}

TEST_P(relic_contract, wait_without_tasks_returns) {
  with_relic([](fg::relic& relic) {
    relic.wait();
    relic.wait();
  });
}

TEST_P(relic_contract, moves_the_closure_and_destroys_it) {
  with_relic([](fg::relic& relic) {
    const auto shared = std::make_shared<int>(0);
    relic.submit([shared, only_moves = std::make_unique<int>(5)] { *shared = *only_moves; });
    relic.wait();
    EXPECT_EQ(*shared, 5);
    EXPECT_EQ(shared.use_count(), 1);
  });
}

TEST_P(relic_contract, carries_an_exception_to_wait) {
  with_relic([](fg::relic& relic) {
    relic.submit([] { throw std::runtime_error("task"); });
    EXPECT_THROW(relic.wait(), std::runtime_error);
    EXPECT_NO_THROW(relic.wait()) << "each exception once";
  });
}

TEST_P(relic_contract, rethrows_the_first_of_several_exceptions_and_runs_the_other_tasks) {
  with_relic([](fg::relic& relic) {
    int ran = 0;
    for (int i = 0; i < 10; ++i) {
      relic.submit([&ran, i] {
        ++ran;
        if (i >= 3) {
          throw std::runtime_error(std::to_string(i));
        }
      });
    }
    try {
      relic.wait();
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "3");
    }
    EXPECT_EQ(ran, 10);
    relic.submit([&ran] { ++ran; });
    EXPECT_NO_THROW(relic.wait());
    EXPECT_EQ(ran, 11);
  });
}

TEST_P(relic_contract, submits_nothing_when_copying_the_closure_throws) {
  with_relic([](fg::relic& relic) {
    struct throws_on_copy {
      throws_on_copy() = default;
      throws_on_copy(const throws_on_copy&) { throw std::runtime_error("no copy"); }
      throws_on_copy& operator=(const throws_on_copy&) = default;
      ~throws_on_copy() = default;
      void operator()() const { ADD_FAILURE() << "must not run"; }
    };
    const throws_on_copy closure;
    EXPECT_THROW(relic.submit(closure), std::runtime_error);
    bool ran = false;
    relic.submit([&ran] { ran = true; });
    EXPECT_NO_THROW(relic.wait());
    EXPECT_TRUE(ran);
  });
}

TEST_P(relic_contract, destruction_runs_what_was_submitted_and_drops_exceptions) {
  int ran = 0;
  with_relic([&ran](fg::relic& relic) {
    for (int i = 0; i < 300; ++i) {
      relic.submit([&ran] {
        ++ran;
        throw std::runtime_error("dropped");
      });
    }
  });
  EXPECT_EQ(ran, 300);
}

TEST_P(relic_contract, hints_change_no_result) {
  with_relic([](fg::relic& relic) {
    int ran = 0;
    const auto count = [&ran] { ++ran; };
    relic.wake_up_hint();
    relic.sleep_hint();
    relic.sleep_hint();
    relic.submit(count);
    relic.sleep_hint();
    relic.wait();
    EXPECT_EQ(ran, 1);
    relic.sleep_hint();
    relic.wake_up_hint();
    relic.wake_up_hint();
    EXPECT_TRUE(relic.try_submit(count));
    relic.wait();
    EXPECT_EQ(ran, 2);
    relic.sleep_hint();
    relic.wait();
  });
}

TEST(relic_inline, says_why) {
  fg::test::on_thread([] {
    fg::test::restrict_this_thread_to(fg::usable_cpus().front());
    const fg::relic relic;
    EXPECT_TRUE(relic.inline_mode());
    EXPECT_EQ(relic.inline_reason(), "one usable CPU");
    EXPECT_EQ(relic.placement().reason, relic.inline_reason());
  });
}

}  // namespace
