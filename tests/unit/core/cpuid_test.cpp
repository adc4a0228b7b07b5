// SPDX-License-Identifier: Apache-2.0
#include "finegrain/core/cpuid.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using leaves = std::map<std::uint32_t, fg::cpuid_registers>;

// Ones in all registers, except for those of `ecx`.
fg::cpuid_registers all_but(std::uint32_t ecx) {
  return {.eax = ~0U, .ebx = ~0U, .ecx = ~ecx, .edx = ~0U};
}

// A processor that answers a leaf beyond its last one with ones everywhere.
fg::cpuid_facts read(const leaves& answers) {
  return fg::read_cpuid_facts([&answers](std::uint32_t leaf, std::uint32_t subleaf) {
    EXPECT_EQ(subleaf, 0U);
    const auto found = answers.find(leaf);
    return found != answers.end() ? found->second : all_but(0);
  });
}

constexpr std::uint32_t bit(int number) { return std::uint32_t{1} << number; }

// The lowest leaves of a processor without any feature.
leaves plain() {
  return {
      {0, {.eax = 7}}, {1, {}}, {7, {}}, {0x8000'0000, {.eax = 0x8000'0008}}, {0x8000'0001, {}}};
}

TEST(cpuid, tells_nothing_of_a_plain_processor) {
  const fg::cpuid_facts facts = read(plain());
  EXPECT_FALSE(facts.hypervisor);
  EXPECT_FALSE(facts.waitpkg);
  EXPECT_FALSE(facts.mwaitx);
}

TEST(cpuid, each_fact_has_its_bit) {
  leaves answers = plain();
  answers[1].ecx = bit(31);
  EXPECT_TRUE(read(answers).hypervisor);
  EXPECT_FALSE(read(answers).waitpkg);
  answers = plain();
  answers[7].ecx = bit(5);
  EXPECT_TRUE(read(answers).waitpkg);
  EXPECT_FALSE(read(answers).mwaitx);
  answers = plain();
  answers[0x8000'0001].ecx = bit(29);
  EXPECT_TRUE(read(answers).mwaitx);
  EXPECT_FALSE(read(answers).hypervisor);
}

TEST(cpuid, other_bits_do_not_count) {
  leaves answers = plain();
  answers[1] = all_but(bit(31));
  answers[7] = all_but(bit(5));
  answers[0x8000'0001] = all_but(bit(29));
  const fg::cpuid_facts facts = read(answers);
  EXPECT_FALSE(facts.hypervisor);
  EXPECT_FALSE(facts.waitpkg);
  EXPECT_FALSE(facts.mwaitx);
}

TEST(cpuid, does_not_believe_leaves_beyond_the_last) {
  const fg::cpuid_facts facts =
      read({{0, {.eax = 1}}, {1, {}}, {0x8000'0000, {.eax = 0x8000'0000}}});
  EXPECT_FALSE(facts.waitpkg);
  EXPECT_FALSE(facts.mwaitx);
  // A processor without extended leaves may answer with anything, here a small number.
  EXPECT_FALSE(read({{0, {.eax = 1}}, {1, {}}, {0x8000'0000, {.eax = 1}}}).mwaitx);
}

TEST(cpuid, the_hardware_answers) {
#if defined(__x86_64__)
  EXPECT_GE(fg::detail::hardware_cpuid(0, 0).eax, 1U);
#endif
  EXPECT_EQ(fg::cpu_features().hypervisor,
            fg::read_cpuid_facts(fg::detail::hardware_cpuid).hypervisor);
}

}  // namespace
