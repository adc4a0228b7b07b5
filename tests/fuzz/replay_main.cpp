// Replaces libFuzzer if its runtime is not linked: runs every file of the given folders once.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

// The name that libFuzzer requires.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  const std::vector<char> bytes{std::istreambuf_iterator<char>{file}, {}};
  const std::vector<std::uint8_t> input{bytes.begin(), bytes.end()};
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view{argv[i]}.starts_with('-')) {
      continue;  // an option of libFuzzer's
    }
    for (const auto& entry : std::filesystem::directory_iterator{argv[i]}) {
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      replay(entry.path());
      ++files;
    }
  }
  std::fprintf(stderr, "%d inputs\n", files);
  return files > 0 ? 0 : 1;
}
