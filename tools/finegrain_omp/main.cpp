// finegrain-omp [--version] [--policy P] [--verbose] [--compare N] [--library PATH] program
// args...: runs an OpenMP program with finegrain's tasks. finegrain-omp --folder: where programs find
// it in the place of their runtimes.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "finegrain/core/errors.hpp"
#include "finegrain/pool/policies.hpp"
#include "finegrain/version.h"
#include "finegrain_omp/comparison.hpp"
#include "finegrain_omp/environment.hpp"
#include "finegrain_omp/pointers.hpp"
#include "finegrain_omp/program.hpp"
#include "finegrain_omp/refusal.hpp"

namespace {

using fg::omp_command::environment;
using fg::omp_command::program;
using fg::omp_command::refusal;

constexpr int kMostPairs = 1'000'000;

struct options {
  std::string policy;
  std::string library;
  bool verbose = false;
  bool folder = false;
  int pairs = 0;
  std::vector<std::string> command;
};

std::string policy_names() {
  std::string names;
  for (const fg::detail::balancing_policy& policy : fg::detail::kBalancingPolicies) {
    names += (names.empty() ? "" : ", ") + std::string{policy.name};
  }
  return names;
}

void add_options(CLI::App& app, options& found) {
  app.set_version_flag("--version", "finegrain-omp " FINEGRAIN_VERSION);
  app.add_option("--policy", found.policy, "How tasks are balanced: " + policy_names());
  app.add_flag("--verbose", found.verbose, "Say what the program names, and what is taken over");
  app.add_option("--compare", found.pairs,
                 "Run it N times with the drop-in and without, in turns, and print the ratio of "
                 "times; its output is discarded and it gets no input")
      ->check(CLI::Range(1, kMostPairs));
  app.add_option("--library", found.library, "The drop-in, if it is not beside this command");
  app.add_flag("--folder", found.folder,
               "Print the folder where the library with regions of its own has the names of "
               "libgomp, libomp and libiomp5: LD_LIBRARY_PATH=$(finegrain-omp --folder) program");
  app.prefix_command();
  app.footer("then: program [arguments...]");
}

// Takes what follows the options: the program. An unknown option is no program.
void take_command(const CLI::App& app, options& found) {
  found.command = app.remaining();
  const bool is_marked = !found.command.empty() && found.command.front() == "--";
  if (is_marked) {
    found.command.erase(found.command.begin());
  }
  if (found.command.empty()) {
    throw refusal{fg::omp_command::kCommandFailed, "which program? See finegrain-omp --help"};
  }
  if (!is_marked && found.command.front().starts_with('-')) {
    throw refusal{fg::omp_command::kCommandFailed,
                  "no option " + found.command.front() + "; see finegrain-omp --help"};
  }
}

// Returns the policy that the drop-in will use: from the option, else the environment, else the
// default.
std::string policy_of(const options& asked, const environment& variables) {
  const std::string inherited = variables.value_of("FINEGRAIN_POLICY");
  const std::string name = !asked.policy.empty() ? asked.policy : inherited;
  try {
    return std::string{name.empty() ? fg::detail::kBalancingPolicies.front().name
                                    : fg::detail::find_policy(name).name};
  } catch (const std::invalid_argument&) {
    throw refusal{fg::omp_command::kCommandFailed,
                  "no policy '" + name + "'; there are: " + policy_names()};
  }
}

// Warns if the drop-in may not take effect.
void remark_on(const program& served) {
  if (!served.is_script && served.runtimes.empty()) {
    std::fprintf(stderr,
                 "finegrain-omp: %s names no OpenMP runtime: nothing is served unless a library "
                 "that it loads does\n",
                 served.path.c_str());
  }
}

void describe(const program& served, const std::string& library) {
  std::fprintf(stderr, "finegrain-omp: preloads %s\n", library.c_str());
  if (served.is_script) {
    std::fprintf(stderr, "finegrain-omp: %s is a script: what it runs is served\n",
                 served.path.c_str());
  }
  for (const std::string& runtime : served.runtimes) {
    std::fprintf(stderr, "finegrain-omp: %s names %s\n", served.path.c_str(), runtime.c_str());
  }
}

int become(const program& served, std::vector<std::string>& command, environment& variables) {
  execve(served.path.c_str(), fg::omp_command::pointers_to(command).data(),
         variables.pointers().data());
  throw refusal{fg::omp_command::kCannotServe,
                served.path + " cannot be run: " + std::strerror(errno)};
}

int run(options& asked) {
  const environment without;
  const std::string policy = policy_of(asked, without);
  const std::string library =
      fg::omp_command::find_library(asked.library, without.value_of("FINEGRAIN_OMP") == "all");
  const program served = fg::omp_command::find_program(asked.command.front());
  environment with = without;
  with.preload(library);
  with.set("FINEGRAIN_POLICY", policy);
  remark_on(served);
  if (asked.verbose) {
    describe(served, library);
  }
  if (asked.pairs > 0) {
    if (with.value_of("FINEGRAIN_OMP") == "off") {
      throw refusal{fg::omp_command::kCommandFailed,
                    "FINEGRAIN_OMP=off is set: there is nothing to compare"};
    }
    return fg::omp_command::compare(
        {served.path, asked.command, without, with, policy, asked.pairs});
  }
  if (asked.verbose) {
    with.set("FINEGRAIN_OMP_VERBOSE", "1");
  }
  return become(served, asked.command, with);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Runs an OpenMP program with finegrain's tasks", "finegrain-omp"};
  options asked;
  try {
    add_options(app, asked);
    app.parse(argc, argv);
    if (asked.folder && argc != 2) {
      throw refusal{fg::omp_command::kCommandFailed,
                    "--folder prints a folder, and takes nothing else"};
    }
    if (asked.folder) {
      std::puts(fg::omp_command::find_stand_in_folder().c_str());
      return 0;
    }
    take_command(app, asked);
    return run(asked);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::puts(version.what());
    return 0;
  } catch (const refusal& error) {
    std::fprintf(stderr, "finegrain-omp: %s\n", fg::detail::one_line(error.what()).c_str());
    return error.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "finegrain-omp: %s\n", fg::detail::one_line(error.what()).c_str());
    return fg::omp_command::kCommandFailed;
  }
}
