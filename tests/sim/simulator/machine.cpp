// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
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

// The part of TOML that the machines are written in: tables, numbers, arrays of them, strings without
// escapes. An entry `key` of the table `t` is `t.key` here.
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
  reader(entries found, bracket which) : left_{std::move(found)}, which_{which} {}

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

  double number(std::string_view key) { return number_in(text(key), key); }

  std::uint64_t whole(std::string_view key) { return whole_of(number(key), key); }

  /// A number, or [low, usual, high].
  double bracketed(std::string_view key) {
    const std::string written = text(key);
    if (!written.starts_with('[') || !written.ends_with(']')) {
      return number_in(written, key);
    }
    const std::string_view inside = std::string_view{written}.substr(1, written.size() - 2);
    const std::size_t first = inside.find(',');
    const std::size_t last = inside.rfind(',');
    if (first == last) {  // none, or one
      throw std::runtime_error(std::string{key} + " is not [low, usual, high]");
    }
    const std::array numbers{number_in(trimmed(inside.substr(0, first)), key),
                             number_in(trimmed(inside.substr(first + 1, last - first - 1)), key),
                             number_in(trimmed(inside.substr(last + 1)), key)};
    if (!std::ranges::is_sorted(numbers)) {
      throw std::runtime_error(std::string{key} + " is not [low, usual, high]");
    }
    return numbers[static_cast<std::size_t>(which_)];
  }

  std::uint64_t whole_bracketed(std::string_view key) { return whole_of(bracketed(key), key); }

  void require_empty() const {
    if (!left_.empty()) {
      throw std::runtime_error("there is no entry " + left_.begin()->first);
    }
  }

 private:
  static constexpr double kLargest = 1e6;

  static double number_in(const std::string& written, std::string_view key) {
    double value = 0;
    const char* const end = written.data() + written.size();
    const auto [stop, error] = std::from_chars(written.data(), end, value);
    if (error != std::errc{} || stop != end || !(value > 0) || std::isinf(value)) {
      throw std::runtime_error(std::string{key} + " is no positive number");
    }
    return value;
  }

  static std::uint64_t whole_of(double value, std::string_view key) {
    if (value != std::floor(value) || value > kLargest) {
      throw std::runtime_error(std::string{key} + " is no whole number up to a million");
    }
    return static_cast<std::uint64_t>(value);
  }

  entries left_;
  bracket which_;
};

machine machine_of(reader from) {
  machine it;
  it.name = from.name("name");
  it.packages = from.whole("cores.packages");
  it.clusters_a_package = from.whole("cores.clusters_a_package");
  it.cores_a_cluster = from.whole("cores.cores_a_cluster");
  it.ghz = from.number("cores.ghz");
  it.hit = from.whole_bracketed("cycles.hit");
  it.read_modify_write = from.whole_bracketed("cycles.read_modify_write");
  it.pause = from.whole_bracketed("cycles.pause");
  it.clock_read = from.whole_bracketed("cycles.clock_read");
  const auto cycles = [&](std::string_view key) { return it.cycles(from.bracketed(key)); };
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

machine read_machine(const std::string& path, bracket which) {
  std::ifstream file{path};
  if (!file) {
    throw std::runtime_error("cannot read the machine " + path);
  }
  try {
    return machine_of(reader{parse(file), which});
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

machine jittered(machine it, std::uint64_t percent, std::uint64_t seed) {
  std::mt19937_64 draw{seed};
  for (std::uint64_t* const time :
       {&it.hit, &it.read_modify_write, &it.pause, &it.clock_read, &it.within_cluster,
        &it.within_package, &it.between_packages, &it.memory, &it.occupancy, &it.system_call,
        &it.wake, &it.wake_up, &it.heavy_fence}) {
    const std::uint64_t most = *time * percent / 100;  // 0 of a few cycles: they stay as they are
    *time = *time - most + draw() % (2 * most + 1);
  }
  it.latest_start = it.wake_up;
  return it;
}

}  // namespace sim
