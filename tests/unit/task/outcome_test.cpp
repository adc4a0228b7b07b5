// The outcome of a call that throws only when its result is stored.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain/task/outcome.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using fg::detail::outcome;

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::runtime_error{"copied"}; }
  throws_when_copied& operator=(const throws_when_copied&) = delete;
  ~throws_when_copied() = default;
};

TEST(outcome, keeps_an_exception_of_the_copy_of_what_is_referred_to) {
  const throws_when_copied kept_elsewhere;
  const auto call = [&]() noexcept -> const throws_when_copied& { return kept_elsewhere; };
  outcome<const decltype(call)> outcome;
  outcome.keep_result_of(call);
  EXPECT_THROW(outcome.take(), std::runtime_error);
}

TEST(outcome, keeps_an_exception_of_the_move_to_where_it_is_kept) {
  const auto call = []() noexcept { return throws_when_copied{}; };
  outcome<const decltype(call)> outcome;
  outcome.keep_result_of(call);
  EXPECT_THROW(outcome.take(), std::runtime_error);
}

}  // namespace
