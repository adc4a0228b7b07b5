// SPDX-License-Identifier: Apache-2.0
#include "takeover.hpp"

#include <dlfcn.h>

#include <exception>
#include <string>

#include "settings.hpp"
#include "thread.hpp"

namespace fg::omp {
namespace {

// Prints at exit how much was taken over.
struct closing_line {
  ~closing_line() {
    if (!settings::instance().is_verbose() || is_passive()) {
      return;
    }
    try {
      const totals sum = count_all();
      say("took over " + std::to_string(sum.regions) + " implicit tasks of regions and " +
          std::to_string(sum.tasks) + " tasks");
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a line less
    }
  }
};

}  // namespace

bool announce(const char* entry_points, const void* function) noexcept {
  Dl_info home{};
  if (settings::instance().is_verbose() && dladdr(function, &home) != 0) {
    try {
      const std::string file = home.dli_fname;
      say("runtime " + file.substr(file.rfind('/') + 1) + ", entry points " + entry_points);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a line less
    }
  }
  return true;
}

namespace detail {

bool decide() noexcept {
  const settings& chosen = settings::instance();
  const bool is_active = chosen.is_active();
  if (passive.set(!is_active) && is_active) {
    try {
      say("policy " + std::string{chosen.policy().name});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a line less
    }
    static const closing_line at_exit;
  }
  return !is_active;
}

}  // namespace detail
}  // namespace fg::omp
