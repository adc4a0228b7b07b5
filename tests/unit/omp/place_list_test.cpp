// OMP_PLACES and GOMP_CPU_AFFINITY (omp/runtime/place_list.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "omp/runtime/place_list.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using fg::omp::runtime::abstract_places;
using fg::omp::runtime::named_places;
using fg::omp::runtime::read_cpu_places;
using fg::omp::runtime::read_named_places;
using fg::omp::runtime::read_place_list;

using listed = std::vector<fg::omp::runtime::place>;

TEST(NamedPlaces, HaveANumberOrNot) {
  EXPECT_EQ(read_named_places("cores"), (named_places{.name = abstract_places::cores, .most = {}}));
  EXPECT_EQ(read_named_places(" LL_Caches ( 12 ) "),
            (named_places{.name = abstract_places::ll_caches, .most = 12}));
  EXPECT_EQ(read_named_places("numa_domains(1)")->most, 1U);
  EXPECT_EQ(read_named_places("threads")->name, abstract_places::threads);
  EXPECT_EQ(read_named_places("sockets")->name, abstract_places::sockets);
}

TEST(NamedPlaces, AreAllOfThatNameIfTheRestMakesNoSense) {
  for (const char* text : {"sockets(", "sockets()", "sockets(0)", "sockets(-1)", "sockets(2",
                           "sockets(2) x", "sockets,cores", "sockets 4", "sockets(x)"}) {
    const std::optional<named_places> found = read_named_places(text);
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_EQ(found->name, abstract_places::sockets) << text;
    EXPECT_FALSE(found->most.has_value()) << text;
    EXPECT_FALSE(found->is_whole) << text;
  }
}

TEST(NamedPlaces, AreNoOtherWords) {
  for (const char* text : {"", " ", "core", "coresx", "{0}", "0", "(", "threads_"}) {
    EXPECT_FALSE(read_named_places(text).has_value()) << text;
  }
}

TEST(PlaceList, ListsPlacesInBraces) {
  EXPECT_EQ(read_place_list("{0},{3,1}"), (listed{{0}, {1, 3}}));
  EXPECT_EQ(read_place_list(" { 0 , 1 } , { 2 } "), (listed{{0, 1}, {2}}));
  EXPECT_EQ(read_place_list("{1,1,1}"), (listed{{1}}));
}

TEST(PlaceList, HasIntervalsOfCpus) {
  EXPECT_EQ(read_place_list("{0:4}"), (listed{{0, 1, 2, 3}}));
  EXPECT_EQ(read_place_list("{1:3:2,0}"), (listed{{0, 1, 3, 5}}));
  EXPECT_EQ(read_place_list("{5:3:-2}"), (listed{{1, 3, 5}}));
  EXPECT_EQ(read_place_list("{7:9:0}"), (listed{{7}}));
  EXPECT_EQ(read_place_list("{1:4:+1}"), (listed{{1, 2, 3, 4}}));
}

TEST(PlaceList, RepeatsPlaces) {
  EXPECT_EQ(read_place_list("{0:2}:3:4"), (listed{{0, 1}, {4, 5}, {8, 9}}));
  EXPECT_EQ(read_place_list("{0:2}:2"), (listed{{0, 1}, {1, 2}}));
  EXPECT_EQ(read_place_list("{4}:3:-2,{9}"), (listed{{4}, {2}, {0}, {9}}));
  EXPECT_EQ(read_place_list("{4}:2:0"), (listed{{4}, {4}}));
}

TEST(PlaceList, TakesANumberForAPlaceOfOneCpu) {
  EXPECT_EQ(read_place_list("0,2"), (listed{{0}, {2}}));
  EXPECT_EQ(read_place_list("0:3:2,7"), (listed{{0}, {2}, {4}, {7}}));
}

TEST(PlaceList, LeavesOutWhatFollowsAnExclamationMark) {
  EXPECT_EQ(read_place_list("{0:4,!2}"), (listed{{0, 1, 3}}));
  EXPECT_EQ(read_place_list("{0}:4,!{2}"), (listed{{0}, {1}, {3}}));
  EXPECT_EQ(read_place_list("0:4,!2,!0"), (listed{{1}, {3}}));
  EXPECT_EQ(read_place_list("{0,1},!{0}"), (listed{{0, 1}}));  // no such place
  EXPECT_FALSE(read_place_list("{0},!{0}").has_value());       // nothing is left
  EXPECT_FALSE(read_place_list("{0,!0}").has_value());
}

TEST(PlaceList, LeavesOutCpusThatNoSystemHas) {
  EXPECT_EQ(read_place_list("{65535,65536}"), (listed{{65535}}));
  EXPECT_EQ(read_place_list("{65534}:1000"), (listed{{65534}, {65535}}));
  EXPECT_EQ(read_place_list("{1}:1000:-1"), (listed{{1}, {0}}));
  EXPECT_EQ(read_place_list("{0,99999999999999999999}"), (listed{{0}}));
  EXPECT_FALSE(read_place_list("{99999999999999999999}").has_value());
}

TEST(PlaceList, RefusesWhatIsNone) {
  for (const char* text : {"",       " ",         ",",         "{",          "}",      "{}",
                           "{0",     "0}",        "{0},",      ",{0}",       "{0}{1}", "{0:}",
                           "{0:0}",  "{0:2:}",    "{0:2:x}",   "{0:2:1:1}",  "{0}:",   "{0}:0",
                           "{0}:2:", "{0}:2:1:1", "{-1}",      "{0:-2}",     "-1",     "{0}-1",
                           "!",      "!{0",       "!!{0},{1}", "{!}",        "{0,,1}", "{{0}}",
                           "{0}\n",  "x",         "{0} {1}",   "!{0}:2,{0}", "0x10",   "{a}"}) {
    EXPECT_FALSE(read_place_list(text).has_value()) << text;
  }
}

TEST(PlaceList, HasLimits) {
  EXPECT_FALSE(read_place_list("{0}:1000000:0").has_value());
  EXPECT_FALSE(read_place_list("{0:65536}:65536:0").has_value());
  EXPECT_EQ(read_place_list("{0}:65536:0")->size(), 65536U);
  EXPECT_EQ(read_place_list("{0:99999999}")->front().size(), 65536U);
  std::string long_list = "{0:65536";
  for (int i = 0; i < 10; ++i) {
    long_list += ",0:65536";
  }
  EXPECT_EQ(read_place_list(long_list + "}")->front().size(), 65536U);
}

TEST(CpuPlaces, AreSeparatedByBlanksOrCommas) {
  EXPECT_EQ(read_cpu_places("0 3 1-2 4-15:5"), (listed{{0}, {3}, {1}, {2}, {4}, {9}, {14}}));
  EXPECT_EQ(read_cpu_places("1,0,1"), (listed{{1}, {0}, {1}}));
  EXPECT_EQ(read_cpu_places("0,{1,3-4},2"), (listed{{0}, {1, 3, 4}, {2}}));
  EXPECT_EQ(read_cpu_places(" 5-5 "), (listed{{5}}));
}

TEST(CpuPlaces, RefuseWhatIsNone) {
  for (const char* text : {"", " ", "x", "1,", ",1", "1,,2", "2-1", "1-", "-1", "1-3:0",
                           "1-3:", "{", "{}", "{1", "{1,}", "{{1}}", "1 x", "1-3:-1"}) {
    EXPECT_FALSE(read_cpu_places(text).has_value()) << text;
  }
  EXPECT_EQ(read_cpu_places("65534-99999999999")->size(), 2U);
}

}  // namespace
