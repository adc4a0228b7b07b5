// finegrain-omp's reader of the program that it runs.
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "finegrain_omp/elf_facts.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::test::require;

// An unnamed file, rewritten for each input.
int file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("input", MFD_CLOEXEC);
  const bool is_written =
      ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  require(is_written, "there is memory for the file");
  return file;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = "/proc/self/fd/" + std::to_string(file_of(data, size));
  try {
    const fg::omp_command::elf_facts facts = fg::omp_command::read_elf(path);
    require(facts.interpreter.size() <= size, "the dynamic linker's name is a part of the file");
    require(facts.needed.size() <= size, "there are no more libraries than bytes");
  } catch (const std::runtime_error& error) {
    fg::test::require_one_line(error.what());
  }
  return 0;
}
