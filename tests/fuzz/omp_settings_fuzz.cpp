// The environment that the drop-in reads.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include "finegrain/core/clock.hpp"
#include "fuzz/environment.hpp"
#include "fuzz/oracle.hpp"
#include "omp/policies.hpp"
#include "omp/settings.hpp"

// As in the library that has a runtime below it.
bool fg::omp::owns_regions() noexcept { return false; }

namespace {

using fg::test::require;

std::string written;  // to standard error, while an input is run
bool is_running = false;

// A second parser of the values, from their text in lower case.
std::string lower(const char* name) {
  std::string value = fg::test::value_of(name).value_or("");
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::tolower(c); });
  return value;
}

bool is_on(const std::string& value) {
  return !value.empty() && value != "0" && value != "false" && value != "off";
}

std::string trimmed(std::string value) {
  value.erase(0, std::min(value.find_first_not_of(" \t"), value.size()));
  value.erase(value.find_last_not_of(" \t") + 1);
  return value;
}

void require_settings(const fg::omp::settings& found) {
  const std::string asked = fg::test::value_of("FINEGRAIN_POLICY").value_or("");
  const fg::omp::conforming_policy* const policy = fg::omp::find_conforming(asked);
  const bool is_policy = asked.empty() || policy != nullptr;
  require(found.policy().name == (policy != nullptr ? asked : "private_deque"),
          "the policy is the one asked for, or the default");
  const bool has_tool = lower("OMP_TOOL") != "disabled" && !lower("OMP_TOOL_LIBRARIES").empty();
  require(found.is_active() == (is_policy && lower("FINEGRAIN_OMP") != "off" && !has_tool),
          "it is passive where it is told to be, or would not do as asked");
  require(found.is_verbose() == (is_on(lower("FINEGRAIN_OMP_VERBOSE")) || !is_policy),
          "it speaks where it is told to, or would not do as asked");
  const std::string throttling = lower("KMP_ENABLE_TASK_THROTTLING");
  require(found.throttles() == (throttling.empty() || is_on(throttling)), "throttling is read");
  require(found.cancels() == (trimmed(lower("OMP_CANCELLATION")) == "true"),
          "cancellation is read");
  const std::string wait = lower("OMP_WAIT_POLICY");
  require((found.spin_ticks(false) > fg::to_ticks(std::chrono::seconds{1})) == (wait == "active") &&
              (found.spin_ticks(false) == found.spin_ticks(true)) == (wait == "passive"),
          "the wait policy is read");
}

void require_lines(const fg::omp::settings& found) {
  require(written.empty() == (found.is_active() || !found.is_verbose()),
          "it says why it is passive, if asked, and nothing else");
  const std::string asked = fg::test::value_of("FINEGRAIN_POLICY").value_or("");
  const bool is_unknown = !asked.empty() && fg::omp::find_conforming(asked) == nullptr;
  require(is_unknown == written.starts_with("finegrain-omp: passive: FINEGRAIN_POLICY: there is no "
                                            "balancing policy '"),
          "it says which policies there are");
  std::string_view rest = written;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    require(line.starts_with("finegrain-omp: passive: "), "each line says whose it is");
    fg::test::require_one_line(line);
    require(line.size() < rest.size(), "a line ends");
    rest.remove_prefix(line.size() + 1);
  }
}

}  // namespace

// The linker defines these names.
// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier)
extern "C" ssize_t __real_write(int file, const void* bytes, std::size_t size);

extern "C" ssize_t __wrap_write(int file, const void* bytes, std::size_t size) {
  if (!is_running || file != STDERR_FILENO) {
    return __real_write(file, bytes, size);
  }
  written.append(static_cast<const char*>(bytes), size);
  return static_cast<ssize_t>(size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
  FuzzedDataProvider input{data, size};
  const fg::test::environment now{
      input,
      {"FINEGRAIN_OMP", "FINEGRAIN_OMP_VERBOSE", "FINEGRAIN_POLICY", "OMP_TOOL",
       "OMP_TOOL_LIBRARIES", "OMP_CANCELLATION", "KMP_ENABLE_TASK_THROTTLING", "OMP_WAIT_POLICY"}};
  written.clear();
  is_running = true;
  const fg::omp::settings found;
  is_running = false;
  require_settings(found);
  require_lines(found);
  return 0;
}
