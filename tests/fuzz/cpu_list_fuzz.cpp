// Lists of CPUs: text_file.hpp's reader compared with hwloc's.
// SPDX-License-Identifier: Apache-2.0
#include <hwloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "finegrain/host/text_file.hpp"
#include "fuzz/oracle.hpp"

namespace {

using fg::detail::parse_cpu_list;
using fg::test::require;

constexpr int kMostCpus = 1 << 16;

struct free_bitmap {
  void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using bitmap = std::unique_ptr<hwloc_bitmap_s, free_bitmap>;

bitmap bitmap_of(const std::vector<int>& cpus) {
  bitmap made{hwloc_bitmap_alloc()};
  for (const int cpu : cpus) {
    hwloc_bitmap_set(made.get(), static_cast<unsigned>(cpu));
  }
  return made;
}

// As the kernel writes it.
std::string format(const bitmap& cpus) {
  char* text = nullptr;
  require(hwloc_bitmap_list_asprintf(&text, cpus.get()) >= 0, "hwloc has memory");
  const std::unique_ptr<char, decltype(&std::free)> owned{text, &std::free};
  return text;
}

// N or N-M, separated by commas.
bool is_list(std::string_view line) {
  while (true) {
    const std::string_view range = line.substr(0, line.find(','));
    const std::string_view first = range.substr(0, range.find('-'));
    const std::string_view last =
        first.size() == range.size() ? first : range.substr(first.size() + 1);
    const auto is_number = [](std::string_view text) {
      return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (!is_number(first) || !is_number(last)) {
      return false;
    }
    if (range.size() == line.size()) {
      return true;
    }
    line.remove_prefix(range.size() + 1);
  }
}

// Hostile text gives a list within the bounds, or none.
void read_any(std::string_view text) {
  const std::vector<int> cpus = parse_cpu_list(text);
  if (cpus.empty()) {
    return;
  }
  const std::string_view line = fg::detail::first_line(text);
  require(is_list(line), "what is no list gives none");
  require(std::ranges::adjacent_find(cpus, std::ranges::greater_equal{}) == cpus.end(),
          "the CPUs ascend");
  require(cpus.front() >= 0 && cpus.back() < kMostCpus, "the CPUs are such as Linux can have");
  const bitmap ours = bitmap_of(cpus);
  require(parse_cpu_list(format(ours)) == cpus, "what was read is read again from its own text");
  // For hwloc a number that begins with 0 is octal.
  const bool has_octal = line.starts_with('0') || line.find(",0") != std::string_view::npos ||
                         line.find("-0") != std::string_view::npos;
  if (!has_octal) {
    const bitmap theirs{hwloc_bitmap_alloc()};
    require(hwloc_bitmap_list_sscanf(theirs.get(), std::string{line}.c_str()) == 0 &&
                hwloc_bitmap_isequal(theirs.get(), ours.get()) != 0,
            "hwloc reads the same");
  }
}

// Every list that the kernel can write is read: the input's bytes are steps from CPU to CPU.
void read_written(const std::uint8_t* data, std::size_t size) {
  std::vector<int> cpus;
  int cpu = -1;
  for (std::size_t i = 0; i < size; ++i) {
    cpu += data[i] < 0xf0 ? 1 + data[i] % 8 : data[i] * 16;
    if (cpu < kMostCpus) {
      cpus.push_back(cpu);
    }
  }
  require(parse_cpu_list(format(bitmap_of(cpus)) + "\n") == cpus, "what the kernel writes is read");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_any({reinterpret_cast<const char*>(data), size});
  read_written(data, size);
  return 0;
}
