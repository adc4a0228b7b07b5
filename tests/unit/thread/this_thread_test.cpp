// SPDX-License-Identifier: Apache-2.0
#include "finegrain/thread/this_thread.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "finegrain/pool/help_room.hpp"
#include "support/child_process.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#endif

namespace {

using fg::detail::help_room;
using fg::detail::stack_bounds;
using fg::detail::stack_of_this_thread;

[[gnu::noinline]] std::uintptr_t here() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

// Runs `routine` on a thread with a stack of this size.
void on_stack(std::size_t bytes, void* (*routine)(void*), void* argument) {
  pthread_attr_t attributes;
  pthread_t thread{};
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  ASSERT_EQ(pthread_create(&thread, &attributes, routine, argument), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
}

TEST(stack_bounds, hold_the_frame_of_the_initial_thread) {
  const stack_bounds stack = stack_of_this_thread();
  EXPECT_TRUE(stack.contains(here()));
  EXPECT_FALSE(stack.contains(stack.end));
  EXPECT_FALSE(stack.contains(stack.lowest - 1));
}

#if defined(__unix__) || defined(__APPLE__)

TEST(stack_bounds, are_those_that_the_limit_leaves_the_initial_thread) {
  EXPECT_EQ(fg::test::in_child([] {
              rlimit limit{};
              getrlimit(RLIMIT_STACK, &limit);
              limit.rlim_cur = std::size_t{1} << 20U;
              if (setrlimit(RLIMIT_STACK, &limit) != 0) {
                return 1;
              }
              getrlimit(RLIMIT_STACK, &limit);  // qemu-user keeps its own
              const stack_bounds stack = fg::detail::ask_for_stack_bounds();
              return stack.contains(here()) && stack.size() <= limit.rlim_cur ? 0 : 2;
            }),
            0);
}

#endif

TEST(stack_bounds, are_those_that_a_thread_was_made_with) {
  for (const std::size_t kib : {256U, 512U, 8192U}) {
    stack_bounds stack;
    bool holds_frame = false;
    const auto look = [&] {
      stack = stack_of_this_thread();
      holds_frame = stack.contains(here());
    };
    on_stack(
        kib * 1024,
        [](void* what) -> void* {
          (*static_cast<decltype(look)*>(what))();
          return nullptr;
        },
        const_cast<void*>(static_cast<const void*>(&look)));
    EXPECT_TRUE(holds_frame);
    EXPECT_GT(stack.size(), kib * 1024 / 2);
    EXPECT_LE(stack.size(), kib * 1024);
  }
}

constexpr std::size_t kMib = std::size_t{1} << 20U;
constexpr stack_bounds kUsual{.lowest = 100 * kMib, .end = 108 * kMib};

TEST(help_room, is_what_is_left_of_a_quarter_of_the_stack) {
  EXPECT_EQ(help_room(kUsual, kUsual.end - 1, 0), 2 * kMib - 1);
  EXPECT_EQ(help_room(kUsual, kUsual.end - kMib, 0), kMib);
  EXPECT_EQ(help_room(kUsual, kUsual.end - 2 * kMib, 0), 0U);
  EXPECT_EQ(help_room(kUsual, kUsual.lowest, 0), 0U);
}

TEST(help_room, is_not_more_than_asked_for) {
  EXPECT_EQ(help_room(kUsual, kUsual.end - kMib, 1), 1U);
  EXPECT_EQ(help_room(kUsual, kUsual.end - kMib, 100 * kMib), kMib);
}

TEST(help_room, is_bounded_where_the_stack_is_not) {
  const stack_bounds unlimited{.lowest = 4096, .end = ~std::uintptr_t{0} / 2};
  EXPECT_EQ(help_room(unlimited, unlimited.end - kMib, 0), 63 * kMib);
}

TEST(help_room, is_small_on_a_stack_that_is_not_known) {
  EXPECT_EQ(help_room(kUsual, kUsual.lowest - kMib, 0), 16U * 1024);
  EXPECT_EQ(help_room(kUsual, kUsual.end + kMib, 0), 16U * 1024);
  EXPECT_EQ(help_room({}, kMib, 0), 16U * 1024) << "nothing is known";
  EXPECT_EQ(help_room({}, kMib, 4096), 4096U);
}

}  // namespace
