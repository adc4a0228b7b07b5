// SPDX-License-Identifier: Apache-2.0
#include "programs/frame/program.hpp"

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "finegrain/core/errors.hpp"

namespace fg::bench {

int run_program(const char* name, options& app, int argc, char** argv,
                const std::function<nlohmann::ordered_json()>& measure) {
  const auto fail = [name](const char* why, int status) {
    std::fprintf(stderr, "%s: %s\n", name, fg::detail::one_line(why).c_str());
    return status;
  };
  try {
    const std::optional<std::string> help = app.parse(argc, argv);
    if (help) {
      std::fputs(help->c_str(), stdout);
    } else {
      std::puts(measure().dump().c_str());
    }
    return 0;
  } catch (const wrong_arguments& error) {
    return fail(error.what(), 2);
  } catch (const wrong_result& error) {
    return fail(error.what(), 3);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}

}  // namespace fg::bench
