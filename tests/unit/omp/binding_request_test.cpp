// What the environment says of places and binding (omp/runtime/binding_request.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "omp/runtime/binding_request.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

using fg::omp::runtime::abstract_places;
using fg::omp::runtime::binding;
using fg::omp::runtime::binding_request;
using fg::omp::runtime::binding_variables;
using fg::omp::runtime::kmp_affinity;
using fg::omp::runtime::layer;
using fg::omp::runtime::places_in_words;
using fg::omp::runtime::read_kmp_affinity;

using listed = std::vector<fg::omp::runtime::place>;

struct answer {
  binding_request request;
  std::vector<std::string> complaints;
};
answer ask(const binding_variables& said) {
  answer found;
  found.request = read_binding(said, found.complaints);
  return found;
}

// Expects one complaint that begins so.
void expect_complaint(const answer& found, std::string_view beginning) {
  ASSERT_EQ(found.complaints.size(), 1U);
  EXPECT_TRUE(found.complaints.front().starts_with(beginning)) << found.complaints.front();
}

TEST(BindingRequest, NothingSaidBindsNobody) {
  const answer found = ask({});
  EXPECT_FALSE(found.request.is_wanted);
  EXPECT_EQ(found.request.outermost(), binding::none);
  EXPECT_TRUE(found.complaints.empty());
}

TEST(BindingRequest, ProcBindAloneUsesCores) {
  const answer found = ask({.proc_bind = " TRUE "});
  EXPECT_TRUE(found.request.is_wanted);
  EXPECT_EQ(found.request.outermost(), binding::any);
  EXPECT_EQ(found.request.any, binding::spread);
  EXPECT_EQ(places_in_words(found.request), "cores");
}

TEST(BindingRequest, ProcBindMayBeAListByLevel) {
  const answer found = ask({.proc_bind = "Spread, close ,primary,master"});
  EXPECT_EQ(found.request.by_level,
            (std::vector{binding::spread, binding::close, binding::primary, binding::primary}));
  EXPECT_EQ(found.request.outermost(), binding::spread);
}

TEST(BindingRequest, FalseBindsNobodyWhateverElseIsSaid) {
  const answer found = ask({.proc_bind = "false",
                            .places = "cores",
                            .kmp_affinity = "compact",
                            .gomp_cpu_affinity = "0",
                            .hw_subset = "1c"});
  EXPECT_FALSE(found.request.is_wanted);
  EXPECT_EQ(found.request.outermost(), binding::none);
}

TEST(BindingRequest, InvalidProcBindIsIgnored) {
  for (const char* text : {"foo", "true,false", "spread,foo", "close,false", "spread,", ",close",
                           "false,close", "spread close", "10", "1,1"}) {
    const answer found = ask({.proc_bind = text});
    EXPECT_FALSE(found.request.is_wanted) << text;
    expect_complaint(found, "OMP_PROC_BIND: '");
  }
  EXPECT_TRUE(ask({.proc_bind = "foo", .places = "{0}"}).request.is_wanted);
}

TEST(BindingRequest, PlacesBindThreads) {
  const answer found = ask({.places = "{0:2},{4}"});
  EXPECT_EQ(found.request.outermost(), binding::any);
  EXPECT_EQ(found.request.listed, (listed{{0, 1}, {4}}));
  EXPECT_EQ(places_in_words(found.request), "{0:2},{4}");
  EXPECT_EQ(places_in_words(ask({.places = "sockets(3)"}).request), "sockets(3)");
}

TEST(BindingRequest, InvalidPlacesAreCores) {
  const answer found = ask({.places = "invalid"});
  ASSERT_TRUE(found.request.named.has_value());
  EXPECT_EQ(found.request.named->name, abstract_places::cores);
  expect_complaint(found, "OMP_PLACES: 'invalid' is no list of places");
  const answer open = ask({.places = "sockets("});
  EXPECT_EQ(places_in_words(open.request), "sockets");
  expect_complaint(open, "OMP_PLACES: 'sockets(' is no name with a number");
}

TEST(BindingRequest, ComplaintsAreShortLines) {
  const std::string text = "\x1b[31m\n" + std::string(100000, 'x');
  const answer found = ask({.places = text});
  expect_complaint(found, "OMP_PLACES: '?[31m?xxx");
  EXPECT_LT(found.complaints.front().size(), 200U);
}

TEST(BindingRequest, ThePlacesOfTheFirstVariableCount) {
  EXPECT_EQ(
      ask({.places = "{1}", .kmp_affinity = "compact", .gomp_cpu_affinity = "0"}).request.listed,
      (listed{{1}}));
  const answer kmp = ask({.kmp_affinity = "compact", .gomp_cpu_affinity = "0"});
  EXPECT_TRUE(kmp.request.by_distance.has_value());
  EXPECT_TRUE(kmp.request.listed.empty());
  const answer gomp = ask({.kmp_affinity = "verbose", .gomp_cpu_affinity = "3 1"});
  EXPECT_EQ(gomp.request.listed, (listed{{3}, {1}}));
  EXPECT_EQ(gomp.request.any, binding::in_turn);
  EXPECT_TRUE(gomp.request.is_verbose);
}

TEST(BindingRequest, InvalidCpuAffinityIsIgnored) {
  const answer found = ask({.gomp_cpu_affinity = "x"});
  EXPECT_FALSE(found.request.is_wanted);
  expect_complaint(found, "GOMP_CPU_AFFINITY: 'x' is no list of CPUs");
}

TEST(BindingRequest, ASubsetBindsThreadsToIt) {
  EXPECT_TRUE(ask({.hw_subset = "1c"}).request.is_wanted);
  const answer none = ask({.hw_subset = "1c:eff1"});
  EXPECT_FALSE(none.request.is_wanted);
  expect_complaint(none, "KMP_HW_SUBSET: '1c:eff1'");
}

TEST(BindingRequest, TeamsHaveAPolicyOfTheirOwn) {
  EXPECT_EQ(ask({}).request.of_teams, binding::spread);
  EXPECT_EQ(ask({.teams_bind = "close"}).request.of_teams, binding::close);
  expect_complaint(ask({.teams_bind = "false"}), "KMP_TEAMS_PROC_BIND: 'false'");
}

TEST(KmpAffinity, HasATypeAndNumbers) {
  const kmp_affinity found = read_kmp_affinity("Granularity=fine, scatter ,1,2");
  EXPECT_EQ(found.type, kmp_affinity::order::scatter);
  EXPECT_EQ(found.places.which, layer::thread);
  EXPECT_EQ(found.permute, 1);
  EXPECT_EQ(found.offset, 2);
  EXPECT_TRUE(found.unknown.empty());
  EXPECT_EQ(read_kmp_affinity("disabled").type, kmp_affinity::order::none);
  EXPECT_EQ(read_kmp_affinity("logical").type, kmp_affinity::order::compact);
}

TEST(KmpAffinity, HasSwitches) {
  const kmp_affinity found = read_kmp_affinity("verbose,norespect,reset,nowarnings");
  EXPECT_TRUE(found.is_verbose);
  EXPECT_FALSE(found.respects);
  EXPECT_TRUE(found.resets);
  EXPECT_TRUE(found.unknown.empty());
  EXPECT_EQ(found.type, kmp_affinity::order::unsaid);
  const kmp_affinity off = read_kmp_affinity("verbose,noverbose,reset,noreset,respect,warnings");
  EXPECT_EQ(off, kmp_affinity{});
}

TEST(KmpAffinity, ListsCpus) {
  const kmp_affinity found = read_kmp_affinity("explicit,proclist=[3,{0,1},4-6:2],verbose");
  EXPECT_EQ(found.listed, (listed{{3}, {0, 1}, {4}, {6}}));
  EXPECT_TRUE(found.is_verbose);
  EXPECT_EQ(ask({.kmp_affinity = "explicit,proclist=[1]"}).request.listed, (listed{{1}}));
  const answer none = ask({.kmp_affinity = "explicit"});
  EXPECT_FALSE(none.request.is_wanted);
  expect_complaint(none, "KMP_AFFINITY: 'explicit' has no list");
}

TEST(KmpAffinity, SaysWhatItIgnores) {
  const kmp_affinity found =
      read_kmp_affinity("foo,granularity=moon,proclist=[x],proclist=[1,compact,granularity");
  EXPECT_EQ(found.unknown, (std::vector<std::string>{"foo", "granularity=moon", "proclist=[x]",
                                                     "proclist=[1,compact,granularity"}));
  EXPECT_EQ(found.type, kmp_affinity::order::unsaid);
  expect_complaint(ask({.kmp_affinity = "foo,compact"}), "KMP_AFFINITY: 'foo' is ignored");
}

}  // namespace
