// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator/machine.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>

namespace sim {
namespace {

using entries = std::map<std::string, std::string, std::less<>>;

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos
             ? std::string{}
             : std::string{text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin)};
}

// The part of TOML that the machines are written in: tables, numbers, strings without escapes. An
// entry `key` of the table `t` is `t.key` here.
entries parse(std::istream& file) {
  entries found;
  std::string table;
  for (std::string line; std::getline(file, line);) {
    const std::string text = trimmed(std::string_view{line}.substr(0, line.find('#')));
    if (text.starts_with('[') && text.ends_with(']')) {
      table = text.substr(1, text.size() - 2) + '.';
    } else if (const std::size_t sign = text.find('='); sign != std::string::npos) {
      const std::string key = table + trimmed(std::string_view{text}.substr(0, sign));
      if (!found.emplace(key, trimmed(std::string_view{text}.substr(sign + 1))).second) {
        throw std::runtime_error("it has " + key + " twice");
      }
    } else if (!text.empty()) {
      throw std::runtime_error("not understood: " + text);
    }
  }
  return found;
}

// Takes the entries away that it returns.
class reader {
 public:
  explicit reader(entries found) : left_{std::move(found)} {}

  std::string text(std::string_view key) {
    const auto entry = left_.find(key);
    if (entry == left_.end()) {
      throw std::runtime_error("it has no " + std::string{key});
    }
    std::string value = entry->second;
    left_.erase(entry);
    return value;
  }

  std::string name(std::string_view key) {
    const std::string quoted = text(key);
    if (quoted.size() < 2 || !quoted.starts_with('"') || !quoted.ends_with('"')) {
      throw std::runtime_error(std::string{key} + " is no string");
    }
    std::string value = quoted.substr(1, quoted.size() - 2);
    if (value.empty() || value.find_first_of("\"\\") != std::string::npos) {
      throw std::runtime_error(std::string{key} + " is empty, or has a quote or a backslash");
    }
    return value;
  }

  double number(std::string_view key) {
    const std::string written = text(key);
    double value = 0;
    const char* const end = written.data() + written.size();
    const auto [stop, error] = std::from_chars(written.data(), end, value);
    if (error != std::errc{} || stop != end || !(value > 0) || std::isinf(value)) {
      throw std::runtime_error(std::string{key} + " is no positive number");
    }
    return value;
  }

  std::uint64_t whole(std::string_view key) {
    const double value = number(key);
    if (value != std::floor(value) || value > kLargest) {
      throw std::runtime_error(std::string{key} + " is no whole number up to a million");
    }
    return static_cast<std::uint64_t>(value);
  }

  void require_empty() const {
    if (!left_.empty()) {
      throw std::runtime_error("there is no entry " + left_.begin()->first);
    }
  }

 private:
  static constexpr double kLargest = 1e6;

  entries left_;
};

machine machine_of(reader from) {
  machine it;
  it.name = from.name("name");
  it.packages = from.whole("cores.packages");
  it.clusters_a_package = from.whole("cores.clusters_a_package");
  it.cores_a_cluster = from.whole("cores.cores_a_cluster");
  it.ghz = from.number("cores.ghz");
  it.hit = from.whole("cycles.hit");
  it.read_modify_write = from.whole("cycles.read_modify_write");
  it.pause = from.whole("cycles.pause");
  it.clock_read = from.whole("cycles.clock_read");
  const auto cycles = [&](std::string_view key) { return it.cycles(from.number(key)); };
  it.within_cluster = cycles("ns.within_cluster");
  it.within_package = cycles("ns.within_package");
  it.between_packages = cycles("ns.between_packages");
  it.memory = cycles("ns.memory");
  it.occupancy = cycles("ns.occupancy");
  it.system_call = cycles("ns.system_call");
  it.wake = cycles("ns.wake");
  it.wake_up = cycles("ns.wake_up");
  it.heavy_fence = cycles("ns.heavy_fence");
  from.require_empty();
  return it;
}

}  // namespace

machine read_machine(const std::string& path) {
  std::ifstream file{path};
  if (!file) {
    throw std::runtime_error("cannot read the machine " + path);
  }
  try {
    return machine_of(reader{parse(file)});
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

}  // namespace sim
