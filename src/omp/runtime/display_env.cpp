// SPDX-License-Identifier: Apache-2.0
#include "display_env.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "../settings.hpp"
#include "affinity_format.hpp"
#include "control_values.hpp"
#include "entry.hpp"

// NOLINTBEGIN(readability-identifier-naming): the API's names; Fortran's end in an underscore
namespace fg::omp::runtime {
namespace {

// Of the versions that gcc's and clang's headers name the later one.
constexpr int kVersion = 202011;

std::string word_of(bool value) { return value ? "TRUE" : "FALSE"; }

std::string list_of(const std::vector<int>& numbers, int otherwise) {
  std::string list = numbers.empty() ? std::to_string(otherwise) : "";
  for (const int each : numbers) {
    list += (list.empty() ? "" : ",") + std::to_string(each);
  }
  return list;
}

std::string schedule_of(const control_values& values) {
  constexpr std::string_view kNames[] = {"STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  const auto kind = static_cast<unsigned>(values.schedule);
  std::string text = (kind & kMonotonic) != 0 ? "MONOTONIC:" : "";
  text += kNames[(kind & ~kMonotonic) - 1];
  return values.chunk > 0 ? text + "," + std::to_string(values.chunk) : text;
}

std::string binds_of(const environment_values& all) {
  constexpr std::string_view kNames[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD"};
  std::string list = all.bind_by_level.empty() ? "FALSE" : "";
  for (const int each : all.bind_by_level) {
    list += list.empty() ? "" : ",";
    list += kNames[each];
  }
  return list;
}

std::string given(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

class lines {
 public:
  void add(std::string_view name, std::string_view value) {
    text_ += "  [host] ";
    text_ += name;
    text_ += " = '";
    text_ += value;
    text_ += "'\n";
  }
  void add(std::string_view name, int value) { add(name, std::to_string(value)); }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

std::string describe(bool with_ours) {
  const environment_values& all = environment();
  const control_values& initial = all.initial;
  lines made;
  made.add("OMP_DYNAMIC", word_of(initial.dynamic != 0));
  made.add("OMP_NUM_THREADS", list_of(all.threads_by_level, initial.threads));
  made.add("OMP_SCHEDULE", schedule_of(initial));
  made.add("OMP_PROC_BIND", binds_of(all));
  made.add("OMP_PLACES", given("OMP_PLACES"));
  made.add("OMP_STACKSIZE", std::to_string(all.stack_bytes));
  made.add("OMP_WAIT_POLICY", given("OMP_WAIT_POLICY"));
  made.add("OMP_THREAD_LIMIT", initial.thread_limit);
  made.add("OMP_MAX_ACTIVE_LEVELS", initial.most_levels);
  made.add("OMP_NUM_TEAMS", all.teams);
  made.add("OMP_TEAMS_THREAD_LIMIT", all.teams_thread_limit);
  made.add("OMP_CANCELLATION", word_of(settings::instance().cancels()));
  made.add("OMP_DEFAULT_DEVICE", initial.device);
  made.add("OMP_MAX_TASK_PRIORITY", all.most_priority);
  made.add("OMP_DISPLAY_AFFINITY", word_of(all.displays_affinity));
  made.add("OMP_AFFINITY_FORMAT", current_affinity_format());
  if (with_ours) {
    made.add("FINEGRAIN_OMP", "all");
    made.add("FINEGRAIN_POLICY", settings::instance().policy().name);
    made.add("KMP_BLOCKTIME", static_cast<int>(settings::instance().spin_time().count()));
  }
  return "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '" + std::to_string(kVersion) + "'\n" +
         made.text() + "OPENMP DISPLAY ENVIRONMENT END\n";
}

}  // namespace

void display_environment(bool all) noexcept {
  try {
    const std::string text = describe(all);
    // Nothing can be done if it fails.
    static_cast<void>(write(STDERR_FILENO, text.data(), text.size()) < 0);
  } catch (const std::exception&) {
    end_without_memory("a line");
  }
}

// Called by the program.
FINEGRAIN_OMP_ENTRY void omp_display_env(int verbose) { display_environment(verbose != 0); }
FINEGRAIN_OMP_ENTRY void omp_display_env_(const int* verbose) { omp_display_env(*verbose); }
FINEGRAIN_OMP_ENTRY void omp_display_env_8_(const long long* verbose) {
  omp_display_env(*verbose != 0 ? 1 : 0);
}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
