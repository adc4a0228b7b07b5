// SPDX-License-Identifier: Apache-2.0
#include "finegrain_omp/comparison.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "finegrain_omp/statistics.hpp"
#include "finegrain_omp/timed_run.hpp"

namespace fg::omp_command {
namespace {

constexpr double kConfidence = 0.95;
constexpr int kPairsForInterval = 6;
constexpr const char* kVerbose = "FINEGRAIN_OMP_VERBOSE";
constexpr std::string_view kDropinSays = "finegrain-omp: ";

// The drop-in says so if it passes everything on.
bool says_passive(std::string_view line) { return line.starts_with("passive"); }

// Progress on one line of a terminal, removed by the destructor.
class progress_line {
 public:
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;
  explicit progress_line(int pairs) : pairs_{pairs}, is_shown_{isatty(STDERR_FILENO) == 1} {}
  ~progress_line() {
    if (is_shown_) {
      std::fputs("\r\x1b[K", stderr);
    }
  }
  void show(int pair) const {
    if (is_shown_) {
      std::fprintf(stderr, "\r\x1b[Kpair %d of %d", pair, pairs_);
      std::fflush(stderr);
    }
  }

 private:
  int pairs_;
  bool is_shown_;
};

class comparison {
 public:
  explicit comparison(comparison_request request) : request_{std::move(request)} {}

  int run() {
    const int status = run_all();
    print();
    return status;
  }

 private:
  int run_all() {
    const progress_line progress{request_.pairs};
    progress.show(0);
    if (const int status = warm_up(); status != 0) {
      return status;
    }
    for (int pair = 0; pair < request_.pairs; ++pair) {
      progress.show(pair + 1);
      if (const int status = run_pair(pair % 2 == 1); status != 0) {
        return status;
      }
    }
    return 0;
  }

  // One unmeasured run each way. The run with the drop-in reports what it took over.
  int warm_up() {
    if (const timed_run run = run_once(request_.without); is_end(run)) {
      return end_with(run, "without the drop-in");
    }
    environment talking = request_.with;
    talking.set(kVerbose, "1");
    const timed_run run = run_once(talking);
    if (is_end(run)) {
      return end_with(run, "with the drop-in");
    }
    for (const auto part : std::views::split(run.errors, '\n')) {
      const std::string_view line{part.begin(), part.end()};
      if (line.starts_with(kDropinSays)) {
        said_.emplace_back(line.substr(kDropinSays.size()));
      }
    }
    return 0;
  }

  int run_pair(bool with_first) {
    double with = 0;
    double without = 0;
    for (const bool is_with : {with_first, !with_first}) {
      const timed_run run = run_once(is_with ? request_.with : request_.without);
      if (is_end(run)) {
        return end_with(run, is_with ? "with the drop-in" : "without the drop-in");
      }
      (is_with ? with : without) = run.seconds;
    }
    with_s_.push_back(with);
    without_s_.push_back(without);
    ratios_.push_back(without / with);
    return 0;
  }

  timed_run run_once(environment& variables) {
    return runner_.run(request_.path, request_.arguments, variables);
  }

  static bool is_end(const timed_run& run) { return run.interrupted != 0 || run.status != 0; }

  // Stores the complaint, which is printed after the numbers measured so far.
  int end_with(const timed_run& run, const char* which) {
    if (run.interrupted != 0) {
      complaint_ = "interrupted";
      return 128 + run.interrupted;
    }
    complaint_ = request_.path + " failed " + which + ", with status " +
                 std::to_string(run.status) + (run.errors.empty() ? "" : "; its stderr:\n") +
                 run.errors;
    return run.status;
  }

  void print() const {
    if (!complaint_.empty()) {
      std::fprintf(stderr, "finegrain-omp: %s%s", complaint_.c_str(),
                   complaint_.ends_with('\n') ? "" : "\n");
    }
    if (ratios_.empty()) {
      return;
    }
    for (const std::string& line : said_) {
      std::printf("the drop-in: %s\n", line.c_str());
    }
    std::printf("without the drop-in: %.4g s, the median of %zu\n", median(without_s_),
                without_s_.size());
    std::printf("with %s: %.4g s\n", request_.policy.c_str(), median(with_s_));
    if (std::ranges::all_of(said_, says_passive)) {
      std::puts("the drop-in took nothing over: there is nothing to compare");
    } else {
      print_ratio();
    }
  }

  void print_ratio() const {
    std::printf("without / with: %.4g, the median of the pairs", median(ratios_));
    const std::optional<interval> sure = median_interval(ratios_, kConfidence);
    if (!sure) {
      std::printf("; too few for a 95 %% interval, which needs %d\n", kPairsForInterval);
      return;
    }
    const char* const verdict = sure->low > 1    ? "faster with the drop-in"
                                : sure->high < 1 ? "slower with the drop-in"
                                                 : "not told apart";
    std::printf("; 95 %% interval %.4g to %.4g: %s\n", sure->low, sure->high, verdict);
  }

  comparison_request request_;
  timed_runner runner_;
  std::vector<std::string> said_;  // the drop-in's lines about itself
  std::vector<double> with_s_;
  std::vector<double> without_s_;
  std::vector<double> ratios_;
  std::string complaint_;
};

}  // namespace

int compare(comparison_request request) { return comparison{std::move(request)}.run(); }

}  // namespace fg::omp_command
