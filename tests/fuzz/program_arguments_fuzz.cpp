// The arguments of the lab's programs: the frame that they share, and the cases of spawn-*.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/oracle.hpp"
#include "programs/frame/program.hpp"
#include "programs/spawn/cases/spawn_case.hpp"

namespace {

using fg::test::require;

// What is written to a C stream while this lives.
class captured {
 public:
  explicit captured(std::FILE*& stream)
      : stream_{stream}, before_{stream}, here_{open_memstream(&text_, &size_)} {
    stream_ = here_;
  }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() {
    stream_ = before_;
    std::fclose(here_);
    std::free(text_);
  }
  [[nodiscard]] std::string_view text() {
    std::fflush(here_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE*& stream_;
  std::FILE* before_;
  std::FILE* here_;
};

struct ended {
  int status;
  std::string output;
  std::string complaint;
};

ended run(std::vector<std::string> words) {
  fg::bench::options app{"Cases of spawn-*, which measure nothing"};
  fg::bench::cpu_pair_option cpus;
  cpus.add_to(app);
  std::vector<std::pair<std::unique_ptr<fg::bench::spawn_case>, fg::bench::options>> cases;
  for (const auto make :
       {fg::bench::make_fib_case, fg::bench::make_tree_case, fg::bench::make_flat_case,
        fg::bench::make_uts_case, fg::bench::make_bots_case, fg::bench::make_cholesky_case}) {
    std::unique_ptr<fg::bench::spawn_case> made = make();
    const fg::bench::options command = made->add_to(app);
    cases.emplace_back(std::move(made), command);
  }
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  captured output{stdout};
  captured complaint{stderr};
  const auto measure = [&]() -> nlohmann::ordered_json {
    require(cpus.main() >= 0 && cpus.assistant() >= 0, "CPUs have numbers");
    for (const auto& [each, command] : cases) {
      if (command.is_named() && each != cases.back().first) {  // cholesky would load OpenBLAS
        each->require_sense({});
      }
    }
    return {};
  };
  const int status = fg::bench::run_program("spawn", app, static_cast<int>(pointers.size()),
                                            pointers.data(), measure);
  return {status, std::string{output.text()}, std::string{complaint.text()}};
}

}  // namespace

// A word of the arguments is a string of the input: in a corpus file it ends with a backslash and a
// line feed.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostWords = 12;
  constexpr std::size_t kLongest = 64;
  FuzzedDataProvider input{data, size};
  std::vector<std::string> words{"spawn"};
  while (input.remaining_bytes() > 0 && words.size() <= kMostWords) {
    words.push_back(input.ConsumeRandomLengthString(kLongest));
  }
  const ended end = run(words);
  if (end.status == 0) {
    require(end.complaint.empty() && !end.output.empty(), "what succeeds has no complaint");
    return 0;
  }
  require(end.status >= 1 && end.status <= 3, "the status is one of bench/README.md's");
  require(end.output.empty(), "what fails prints no numbers");
  const std::string_view line = end.complaint;
  require(line.starts_with("spawn: ") && line.ends_with('\n'), "a line says whose it is");
  fg::test::require_one_line(line.substr(0, line.size() - 1));
  return 0;
}
