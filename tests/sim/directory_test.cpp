// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator/directory.hpp"

#include <gtest/gtest.h>

namespace {

sim::machine two_packages() {
  sim::machine it;
  it.packages = 2;
  it.clusters_a_package = 2;
  it.cores_a_cluster = 4;
  it.within_cluster = 10;
  it.within_package = 30;
  it.between_packages = 100;
  it.memory = 200;
  it.occupancy = 3;
  return it;
}

const sim::machine on = two_packages();

TEST(machine, knows_how_far_cores_are_apart) {
  EXPECT_EQ(on.transfer(0, 3), on.within_cluster);
  EXPECT_EQ(on.transfer(3, 4), on.within_package);
  EXPECT_EQ(on.transfer(7, 8), on.between_packages);
}

TEST(directory, gives_a_new_line_to_its_first_reader_alone) {
  sim::line it;
  const sim::transfer done = sim::fetch_to_read(it, 5, 1000, on);
  EXPECT_TRUE(done.from_memory);
  EXPECT_EQ(done.end, 1000 + on.memory);
  EXPECT_TRUE(it.is_owned_by(5));
}

TEST(directory, shares_a_line_with_its_readers) {
  sim::line it;
  sim::fetch_to_write(it, 0, 0, on);
  const sim::transfer done = sim::fetch_to_read(it, 9, 1000, on);
  EXPECT_FALSE(done.from_memory);
  EXPECT_EQ(done.end, 1000 + on.between_packages);
  EXPECT_TRUE(done.lost.has(0)) << "the right to write";
  EXPECT_FALSE(it.is_owned_by(0));
  EXPECT_TRUE(it.is_readable_by(0));
  EXPECT_TRUE(it.is_readable_by(9));
  EXPECT_FALSE(it.is_readable_by(1));
}

TEST(directory, takes_all_other_copies_from_the_readers_of_a_line_that_is_written) {
  sim::line it;
  sim::fetch_to_write(it, 0, 0, on);
  sim::fetch_to_read(it, 1, 1000, on);
  sim::fetch_to_read(it, 9, 2000, on);
  const sim::transfer done = sim::fetch_to_write(it, 1, 3000, on);
  EXPECT_EQ(done.end, 3000 + on.between_packages) << "the farthest copy's";
  EXPECT_EQ(done.lost.size(), 2U);
  EXPECT_TRUE(done.lost.has(0));
  EXPECT_TRUE(done.lost.has(9));
  EXPECT_TRUE(it.is_owned_by(1));
  EXPECT_FALSE(it.is_readable_by(0));
  EXPECT_FALSE(it.is_readable_by(9));
}

TEST(directory, moves_a_line_from_writer_to_writer) {
  sim::line it;
  sim::fetch_to_write(it, 0, 0, on);
  const sim::transfer done = sim::fetch_to_write(it, 4, 1000, on);
  EXPECT_EQ(done.end, 1000 + on.within_package);
  EXPECT_TRUE(done.lost.has(0));
  EXPECT_TRUE(it.is_owned_by(4));
  EXPECT_FALSE(it.is_readable_by(0));
}

TEST(directory, serves_requests_for_a_line_one_after_the_other) {
  sim::line it;
  sim::fetch_to_write(it, 0, 0, on);
  const std::uint64_t moved = sim::fetch_to_write(it, 1, 1000, on).end;
  EXPECT_EQ(sim::fetch_to_read(it, 2, 1000, on).end, moved + on.within_cluster);
  const std::uint64_t shared = moved + on.within_cluster;
  EXPECT_EQ(sim::fetch_to_read(it, 3, 1000, on).end, shared + on.within_cluster);
  EXPECT_EQ(sim::fetch_to_read(it, 0, 1000, on).end, shared + on.occupancy + on.within_cluster)
      << "copies of a shared line only wait for its occupancy";
}

}  // namespace
