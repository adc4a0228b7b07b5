// SPDX-License-Identifier: Apache-2.0
#include "checker/protocol.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <span>

namespace model {
namespace {

struct options {
  std::string places;
  std::string part_of_name;
};

options parse(int argc, char** argv) {
  options result;
  const std::span<char*> arguments{argv, static_cast<std::size_t>(argc)};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string argument = arguments[i];
    if (argument == "--places" && i + 1 < arguments.size()) {
      result.places = arguments[++i];
    } else {
      result.part_of_name = argument;
    }
  }
  return result;
}

// True: nothing was wrong.
bool check(explorer& model, const scenario& what) {
  const auto start = std::chrono::steady_clock::now();
  const outcome result = model.explore(what.run, what.bound);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("  %-52s %9llu executions of up to %3llu events, %llu the same as a shorter one",
              what.name.c_str(), static_cast<unsigned long long>(result.executions),
              static_cast<unsigned long long>(result.most_events),
              static_cast<unsigned long long>(result.dropped));
  if (result.cut != 0) {
    std::printf(", %llu cut behind %u turns of a loop that writes",
                static_cast<unsigned long long>(result.cut), what.bound.turns);
  }
  std::printf("; %s; %.1f s\n", result.is_complete ? "all" : "not all", taken.count());
  if (!result.violation.empty()) {
    std::printf("    VIOLATED (%s): %s\n", what.property.c_str(), result.violation.c_str());
  }
  std::fflush(stdout);
  return result.violation.empty();
}

}  // namespace

int check_protocol(const std::string& protocol, const std::vector<scenario>& scenarios, int argc,
                   char** argv) {
  const options chosen = parse(argc, argv);
  explorer model;
  bool all_hold = true;
  bool any = false;
  std::printf("%s\n", protocol.c_str());
  for (const scenario& each : scenarios) {
    if (each.name.find(chosen.part_of_name) != std::string::npos) {
      any = true;
      all_hold = check(model, each) && all_hold;
    }
  }
  if (!any) {
    std::fprintf(stderr, "%s: no scenario is named '%s'\n", protocol.c_str(),
                 chosen.part_of_name.c_str());
    return 2;
  }
  if (!chosen.places.empty()) {
    std::ofstream file{chosen.places};
    for (const std::string& place : model.places()) {
      file << place << '\n';
    }
  }
  return all_hold ? 0 : 1;
}

}  // namespace model
