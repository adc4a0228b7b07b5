// SPDX-License-Identifier: Apache-2.0
#include "programs/frame/options.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "programs/frame/program_errors.hpp"

namespace fg::bench {

option option::required() { return option{option_->required()}; }
option option::needs(option other) { return option{option_->needs(other.option_)}; }
option option::excludes(option other) { return option{option_->excludes(other.option_)}; }
option option::comma_separated() { return option{option_->delimiter(',')}; }
option option::expected(int number) { return option{option_->expected(number)}; }

option option::in_range(int least, int most) {
  return option{option_->check(CLI::Range(least, most))};
}
option option::in_range(unsigned least, unsigned most) {
  return option{option_->check(CLI::Range(least, most))};
}
option option::in_range(std::uint64_t least, std::uint64_t most) {
  return option{option_->check(CLI::Range(least, most))};
}
option option::positive() { return option{option_->check(CLI::PositiveNumber)}; }
option option::non_negative() { return option{option_->check(CLI::NonNegativeNumber)}; }
option option::one_of(const std::vector<std::string>& values) {
  return option{option_->check(CLI::IsMember(values))};
}
option option::existing_file() { return option{option_->check(CLI::ExistingFile)}; }

// CLI::Range accepts NaN, and a number that no integer can hold would give an arbitrary value.
option option::number_in(double least, double most) {
  const auto fault_of = [least, most](const std::string& text) -> std::string {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    return is_number && number >= least && number <= most
               ? ""
               : "'" + text + "' is no number from " + CLI::detail::to_string(least) + " to " +
                     CLI::detail::to_string(most);
  };
  return option{option_->check(CLI::Validator{fault_of, "NUMBER"})};
}

options::options(const std::string& description) : app_{std::make_shared<CLI::App>(description)} {}
options::options(std::shared_ptr<CLI::App> app) : app_{std::move(app)} {}

template <class T>
option options::add(const char* name, T& variable, const char* help) {
  return option{app_->add_option(name, variable, help)};
}
template option options::add(const char* name, int& variable, const char* help);
template option options::add(const char* name, std::uint32_t& variable, const char* help);
template option options::add(const char* name, std::int64_t& variable, const char* help);
template option options::add(const char* name, std::uint64_t& variable, const char* help);
template option options::add(const char* name, double& variable, const char* help);
template option options::add(const char* name, std::string& variable, const char* help);
template option options::add(const char* name, std::vector<int>& variable, const char* help);
template option options::add(const char* name, std::optional<std::uint64_t>& variable,
                             const char* help);
template option options::add(const char* name, std::optional<double>& variable, const char* help);

option options::add_flag(const char* name, bool& variable, const char* help) {
  return option{app_->add_flag(name, variable, help)};
}

option options::add_function(const char* name,
                             const std::function<void(const std::string&)>& function,
                             const char* help) {
  return option{app_->add_option_function<std::string>(name, function, help)};
}

options options::add_subcommand(const char* name, const char* help) {
  app_->require_subcommand(0, 1);
  CLI::App* const made = app_->add_subcommand(name, help)->fallthrough();
  return options{app_->get_subcommand_ptr(made)};
}

bool options::is_named() const { return app_->parsed(); }

std::optional<std::string> options::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return app_->help();
  } catch (const CLI::ParseError& error) {
    throw wrong_arguments(error.what());
  }
}

}  // namespace fg::bench
