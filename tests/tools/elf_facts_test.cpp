// finegrain-omp's reader of ELF files, on valid and on hostile ones.
// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/elf_facts.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

namespace {

using fg::omp_command::elf_facts;
using fg::omp_command::read_elf;

constexpr const char* kThisTest = "/proc/self/exe";
constexpr const char* kSmallProgram = "/bin/true";

std::string bytes_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

class hostile_elf : public testing::Test {
 protected:
  hostile_elf() {
    std::array<char, 32> name{"/tmp/finegrain-elf-XXXXXX"};
    const int descriptor = mkstemp(name.data());
    EXPECT_GE(descriptor, 0);
    close(descriptor);
    path_ = name.data();
  }
  ~hostile_elf() override { std::filesystem::remove(path_); }

  // Whether the reader accepts these bytes. It may; it must not crash, hang or throw anything else.
  bool is_taken(const std::string& bytes) {
    std::ofstream{path_, std::ios::binary | std::ios::trunc} << bytes;
    try {
      static_cast<void>(read_elf(path_));
      return true;
    } catch (const std::runtime_error& error) {
      EXPECT_STRNE(error.what(), "");
      return false;
    }
  }

 private:
  std::string path_;
};

TEST(elf_facts, of_this_test) {
  const elf_facts facts = read_elf(kThisTest);
  EXPECT_TRUE(facts.is_loadable);
  EXPECT_EQ(facts.machine.word_class, sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32);
  EXPECT_TRUE(facts.interpreter.starts_with("/lib")) << facts.interpreter;
  EXPECT_TRUE(std::ranges::any_of(facts.needed, [](const std::string& library) {
    return library.starts_with("libstdc++.so");
  }));
  EXPECT_EQ(facts.runtime_entry_of_its_own, "");
}

TEST(elf_facts, of_no_file_say_why) {
  EXPECT_THROW(static_cast<void>(read_elf("/nowhere/at-all")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(read_elf("/tmp")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(read_elf("/dev/null")), std::runtime_error);
}

TEST_F(hostile_elf, truncated) {
  const std::string whole = bytes_of(kSmallProgram);
  ASSERT_GT(whole.size(), 4096U);
  EXPECT_TRUE(is_taken(whole));
  for (std::size_t size = 0; size < sizeof(Elf64_Ehdr); ++size) {
    EXPECT_FALSE(is_taken(whole.substr(0, size))) << size;
  }
  // The sections' headers are at the end: without them it is broken too.
  for (std::size_t size = sizeof(Elf64_Ehdr); size < whole.size() - 1; size += 97) {
    EXPECT_FALSE(is_taken(whole.substr(0, size))) << size;
  }
}

TEST_F(hostile_elf, random_bytes) {
  std::mt19937_64 random{1};  // NOLINT(bugprone-random-generator-seed): the same ones each time
  for (int round = 0; round < 300; ++round) {
    std::string bytes(1 + random() % 5000, '\0');
    std::ranges::generate(bytes, [&random] { return static_cast<char>(random()); });
    EXPECT_FALSE(is_taken(bytes));
    // With the parts that make the reader examine it further.
    const std::string begin = bytes_of(kSmallProgram).substr(0, 16 + random() % 400);
    bytes.replace(0, std::min(begin.size(), bytes.size()), begin);
    is_taken(bytes);
  }
}

TEST_F(hostile_elf, flipped_bytes) {
  const std::string whole = bytes_of(kSmallProgram);
  Elf64_Ehdr header{};
  std::memcpy(&header, whole.data(), sizeof header);
  std::mt19937_64 random{2};  // NOLINT(bugprone-random-generator-seed): as above
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int flip = 0; flip < 4; ++flip) {
      // In the most sensitive headers: the file's, the segments', the sections'.
      const std::size_t at = flip % 2 == 0
                                 ? random() % 1024
                                 : header.e_shoff + random() % (bytes.size() - header.e_shoff);
      bytes[at] = static_cast<char>(random());
    }
    refused += is_taken(bytes) ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
}

// Each field of the file's header at its extremes.
TEST_F(hostile_elf, extreme_headers) {
  const std::string whole = bytes_of(kSmallProgram);
  for (std::size_t at = EI_NIDENT; at + 8 <= sizeof(Elf64_Ehdr); at += 2) {
    for (const int filling : {0x00, 0x7f, 0x80, 0xff}) {
      for (const std::size_t width : {2U, 4U, 8U}) {
        std::string bytes = whole;
        bytes.replace(at, width, std::string(width, static_cast<char>(filling)));
        is_taken(bytes);
      }
    }
  }
}

}  // namespace
