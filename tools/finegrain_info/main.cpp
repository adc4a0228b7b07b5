// finegrain-info [--version] [--json] [--no-measure]: prints what finegrain sees of this machine.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "finegrain/core/errors.hpp"
#include "finegrain/version.h"
#include "finegrain_info/machine_report.hpp"
#include "finegrain_info/measure.hpp"
#include "finegrain_info/print.hpp"

int main(int argc, char** argv) {
  CLI::App app{
      "The CPUs of this machine, the pair that a relic would use and why, and what it costs"};
  bool json = false;
  bool no_measure = false;
  app.set_version_flag("--version", "finegrain-info " FINEGRAIN_VERSION);
  app.add_flag("--json", json, "One JSON object instead of text");
  app.add_flag("--no-measure", no_measure, "Without round trips and break-even");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::puts(version.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "finegrain-info: %s\n", fg::detail::one_line(error.what()).c_str());
    return 2;
  }
  try {
    fg::info::machine_report report = fg::info::describe_machine();
    if (!no_measure) {
      report.round_trip_ns = fg::info::measure_round_trips(report.allowed);
      report.break_even_ns = fg::info::measure_break_even_ns(report.pair);
    }
    std::puts((json ? fg::info::to_json(report) : fg::info::to_text(report)).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "finegrain-info: %s\n", error.what());
    return 1;
  }
}
