// SPDX-License-Identifier: Apache-2.0
#include "display_env.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "../settings.hpp"
#include "adaptive_teams.hpp"
#include "affinity_format.hpp"
#include "binding_request.hpp"
#include "control_values.hpp"
#include "entry.hpp"
#include "places.hpp"

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
  text += kind_of(kind) == schedule_kind::trapezoidal ? "TRAPEZOIDAL"
                                                      : kNames[static_cast<int>(kind_of(kind)) - 1];
  return values.chunk > 0 ? text + "," + std::to_string(values.chunk) : text;
}

std::string binds_of(const environment_values& all) {
  constexpr std::string_view kNames[] = {"FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD"};
  std::string list =
      all.bind_by_level.empty() ? std::string{kNames[all.initial.proc_bind]} : std::string{};
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
  /// What stands before a name, and between it and its value.
  lines(std::string_view before, std::string_view between) : before_{before}, between_{between} {}

  void add(std::string_view name, std::string_view value) {
    text_ += before_;
    text_ += name;
    text_ += between_;
    text_ += "'";
    text_ += value;
    text_ += "'\n";
  }
  void add(std::string_view name, int value) { add(name, std::to_string(value)); }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string_view before_;
  std::string_view between_;
  std::string text_;
};

void describe(lines& made, const std::string& places, bool with_ours) {
  const environment_values& all = environment();
  const control_values& initial = all.initial;
  made.add("OMP_DYNAMIC", word_of(initial.dynamic != 0));
  made.add("OMP_NUM_THREADS", list_of(all.threads_by_level, initial.threads));
  made.add("OMP_SCHEDULE", schedule_of(initial));
  made.add("OMP_PROC_BIND", binds_of(all));
  made.add("OMP_PLACES", places);
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
    made.add("FINEGRAIN_OMP_ADAPT", name_of(chosen_adaptation));
    made.add("FINEGRAIN_POLICY", settings::instance().policy().name);
    made.add("KMP_BLOCKTIME", static_cast<int>(settings::instance().spin_time().count()));
  }
}

// With the places that threads are bound to.
std::string describe_environment(bool with_ours) {
  lines made{"  [host] ", " = "};
  describe(made, to_text(places().places), with_ours);
  return "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '" + std::to_string(kVersion) + "'\n" +
         made.text() + "OPENMP DISPLAY ENVIRONMENT END\n";
}

bool is_variable_of_runtimes(std::string_view entry) noexcept {
  constexpr std::string_view kBeginnings[] = {"FINEGRAIN_", "GOMP_", "KMP_", "OMP_"};
  return std::ranges::any_of(kBeginnings, [&](auto each) { return entry.starts_with(each); });
}

// With OMP_PLACES as it is followed, as LLVM's runtime has it.
std::string describe_settings() {
  std::string given = "\nUser settings:\n\n";
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (is_variable_of_runtimes(*each)) {
      given += "   " + std::string{*each} + "\n";
    }
  }
  lines made{"   ", "="};
  describe(made, places_in_words(requested_binding()), true);
  return given + "\nEffective settings:\n\n" + made.text() + "\n";
}

template <class Describe>
void print(Describe describe) noexcept {
  try {
    const std::string text = describe();
    // Nothing can be done if it fails.
    static_cast<void>(write(STDERR_FILENO, text.data(), text.size()) < 0);
  } catch (const std::exception&) {
    end_without_memory("a line");
  }
}

}  // namespace

void display_environment(bool all) noexcept {
  print([all] { return describe_environment(all); });
}

void display_settings() noexcept { print(describe_settings); }

// Called by the program.
FINEGRAIN_OMP_ENTRY void omp_display_env(int verbose) { display_environment(verbose != 0); }
FINEGRAIN_OMP_ENTRY void omp_display_env_(const int* verbose) { omp_display_env(*verbose); }
FINEGRAIN_OMP_ENTRY void omp_display_env_8_(const long long* verbose) {
  omp_display_env(*verbose != 0 ? 1 : 0);
}

}  // namespace fg::omp::runtime
// NOLINTEND(readability-identifier-naming)
