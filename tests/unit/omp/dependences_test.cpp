// Which tasks wait for which, by hand.
// SPDX-License-Identifier: Apache-2.0
#include "omp/dependences.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "dependence_graph.hpp"

// The linker (--wrap, see CMakeLists.txt) redirects this program's calls of operator delete here;
// __real is the original one, possibly a sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the linker's names
extern "C" {
void __real__ZdlPv(void* what);
void __wrap__ZdlPv(void* what) {
  fg::test::watch.see_deleted(what);
  __real__ZdlPv(what);
}
void __real__ZdlPvm(void* what, std::size_t bytes);
void __wrap__ZdlPvm(void* what, std::size_t bytes) {
  fg::test::watch.see_deleted(what);
  __real__ZdlPvm(what, bytes);
}
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace {

using fg::omp::dependence_node;
using fg::omp::dependence_table;
using fg::test::all_memory;
using fg::test::finished;
using fg::test::in;
using fg::test::items;
using fg::test::kX;
using fg::test::kY;
using fg::test::operator+;  // NOLINT(misc-unused-using-decls): of items
using fg::test::out;
using fg::test::set;
using fg::test::watch;

class dependences : public fg::test::dependence_graph {};

using numbers = std::vector<std::size_t>;

TEST_F(dependences, none_on_the_first) {
  for (const items& first : {in(kX), out(kX), set(kX), all_memory()}) {
    table_ = std::make_unique<dependence_table>();
    EXPECT_TRUE(is_ready(add(first)));
    finish_all();
  }
}

TEST_F(dependences, none_between_locations) {
  add(out(kX));
  add(out(kY));
  EXPECT_EQ(ready(), (numbers{0, 1}));
}

TEST_F(dependences, writers_go_one_after_the_other) {
  add(out(kX));
  add(out(kX));
  add(out(kX));
  EXPECT_EQ(ready(), (numbers{0}));
  finish(0);
  EXPECT_EQ(ready(), (numbers{1}));
  finish(1);
  EXPECT_EQ(ready(), (numbers{2}));
}

TEST_F(dependences, readers_go_together_between_writers) {
  add(out(kX));
  add(in(kX));
  add(in(kX));
  add(out(kX));
  EXPECT_EQ(ready(), (numbers{0}));
  finish(0);
  EXPECT_EQ(ready(), (numbers{1, 2}));
  finish(2);
  EXPECT_EQ(ready(), (numbers{1}));
  finish(1);
  EXPECT_EQ(ready(), (numbers{3}));
}

TEST_F(dependences, sets_go_together_apart_from_readers_and_writers) {
  add(in(kX));
  add(set(kX));
  add(set(kX));
  add(in(kX));
  add(out(kX));
  EXPECT_EQ(ready(), (numbers{0}));
  finish(0);
  EXPECT_EQ(ready(), (numbers{1, 2}));
  finish(1);
  EXPECT_EQ(ready(), (numbers{2}));
  finish(2);
  EXPECT_EQ(ready(), (numbers{3}));
  finish(3);
  EXPECT_EQ(ready(), (numbers{4}));
}

TEST_F(dependences, of_all_locations_have_to_be_met) {
  add(out(kX));
  add(out(kY));
  add(in(kX) + in(kY));
  finish(0);
  EXPECT_EQ(ready(), (numbers{1}));
  finish(1);
  EXPECT_EQ(ready(), (numbers{2}));
}

TEST_F(dependences, all_memory_comes_after_all_and_before_all) {
  add(in(kX));
  add(out(kY));
  add(all_memory());
  add(in(kX));
  add(set(kY));
  add(out(0x2000));  // not named before
  EXPECT_EQ(ready(), (numbers{0, 1}));
  finish(0);
  EXPECT_EQ(ready(), (numbers{1}));
  finish(1);
  EXPECT_EQ(ready(), (numbers{2}));
  finish(2);
  EXPECT_EQ(ready(), (numbers{3, 4, 5}));
}

TEST_F(dependences, all_memory_comes_after_all_memory) {
  add(all_memory());
  add(all_memory());
  EXPECT_EQ(ready(), (numbers{0}));
  finish(0);
  EXPECT_EQ(ready(), (numbers{1}));
}

TEST_F(dependences, all_memory_covers_what_else_is_named) {
  add(out(kX));
  add(in(kY) + all_memory());
  EXPECT_EQ(ready(), (numbers{0}));
}

// ---- one location named twice ----

TEST_F(dependences, none_on_oneself) {
  for (const items& twice :
       {in(kX) + in(kX), in(kX) + out(kX), out(kX) + in(kX), out(kX) + out(kX), set(kX) + set(kX),
        set(kX) + in(kX), in(kX) + set(kX), out(kX) + set(kX), in(kX) + out(kX) + in(kX)}) {
    EXPECT_TRUE(is_ready(add(twice)));
    finish_all();
  }
}

TEST_F(dependences, location_named_twice_counts_as_both) {
  for (const items& twice : {in(kX) + out(kX), out(kX) + in(kX), set(kX) + in(kX)}) {
    const std::size_t reader = add(in(kX));
    const std::size_t both = add(twice);
    const std::size_t next = add(in(kX));
    EXPECT_EQ(ready(), (numbers{reader}));
    finish(reader);
    EXPECT_EQ(ready(), (numbers{both}));
    finish(both);
    EXPECT_EQ(ready(), (numbers{next}));
    finish(next);
  }
}

// ---- finishing ----

TEST_F(dependences, none_on_what_has_finished) {
  finish(add(out(kX)));
  EXPECT_TRUE(is_ready(add(in(kX))));
  finish_all();
  EXPECT_TRUE(is_ready(add(set(kX))));
  finish_all();
  finish(add(all_memory()));
  EXPECT_TRUE(is_ready(add(out(kX))));
}

TEST_F(dependences, finishing_hands_out_those_that_wait) {
  add(out(kX));
  add(in(kX));
  add(in(kX));
  dependence_node* const first = nodes_[0];
  const std::vector<dependence_node*> next = finished(*first);
  EXPECT_EQ(next, (std::vector{nodes_[1], nodes_[2]}));
  EXPECT_TRUE(first->is_finished());
  EXPECT_TRUE(finished(*first).empty()) << "once";
  for (dependence_node* const each : next) {
    EXPECT_TRUE(each->is_blocked());
    EXPECT_TRUE(each->unblock()) << "the last blocker";
    each->release();
  }
  EXPECT_TRUE(is_ready(1));
}

TEST_F(dependences, linking_blocks_until_it_ends) {
  dependence_node& node = fg::test::make_alone(nullptr);
  dependence_table table;
  table.link(node, in(kX));
  EXPECT_TRUE(node.is_blocked());
  EXPECT_TRUE(node.end_linking());
  EXPECT_FALSE(node.is_blocked());
  node.release();
}

// ---- taskwait ----

TEST_F(dependences, taskwait_waits_for_what_a_task_would_wait_for) {
  add(out(kX));
  add(in(kX));
  const std::size_t reads = await(in(kX));
  const std::size_t writes = await(out(kX));
  const std::size_t other = await(out(kY));
  EXPECT_EQ(ready(), (numbers{0, other}));
  finish(0);
  EXPECT_EQ(ready(), (numbers{1, reads, other}));
  finish(1);
  EXPECT_EQ(ready(), (numbers{reads, writes, other}));
}

TEST_F(dependences, taskwait_is_not_waited_for) {
  add(in(kX));
  await(out(kX));
  add(in(kX));
  EXPECT_EQ(ready(), (numbers{0, 2}));
}

TEST_F(dependences, taskwait_of_all_memory_waits_for_all) {
  add(in(kX));
  add(out(kY));
  const std::size_t wait = await(all_memory());
  finish(0);
  EXPECT_FALSE(is_ready(wait));
  finish(1);
  EXPECT_TRUE(is_ready(wait));
}

TEST_F(dependences, taskwait_waits_for_atask_of_all_memory) {
  add(all_memory());
  const std::size_t of_all = await(all_memory());
  const std::size_t of_one = await(in(kX));
  EXPECT_FALSE(is_ready(of_all));
  EXPECT_FALSE(is_ready(of_one));
  finish(0);
  EXPECT_TRUE(is_ready(of_all));
  EXPECT_TRUE(is_ready(of_one));
}

// ---- memory ----

TEST_F(dependences, many_finished_readers_are_forgotten) {
  for (int i = 0; i < 400; ++i) {
    finish(add(in(kX)));
  }
  EXPECT_GE(watch.deleted, 200U) << "the table keeps them for a location that is only read";
  add(out(kX));
  EXPECT_GE(watch.deleted, 400U) << "a writer has looked through all";
}

TEST_F(dependences, readers_that_have_not_finished_are_not_forgotten) {
  for (int i = 0; i < 300; ++i) {
    add(in(kX));
  }
  for (std::size_t i = 1; i < 300; ++i) {
    finish(i);
  }
  const std::size_t writer = add(out(kX));
  EXPECT_FALSE(is_ready(writer));
  finish(0);
  EXPECT_TRUE(is_ready(writer));
}

}  // namespace
