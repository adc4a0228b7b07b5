// SPDX-License-Identifier: Apache-2.0
#include "finegrain_info/print.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace fg::info {

namespace {

using json = nlohmann::ordered_json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_object(const logical_cpu& cpu) {
  return {{"id", cpu.id},
          {"core", cpu.core},
          {"package", cpu.package},
          {"l2", cpu.l2},
          {"l3", cpu.l3},
          {"numa_node", cpu.numa_node},
          {"efficiency_class", cpu.efficiency_class}};
}

json to_object(const placement& pair) {
  return {{"main_cpu", pair.main_cpu},
          {"assistant_cpu", or_null(pair.assistant_cpu)},
          {"kind", pair.assistant_cpu ? json(to_string(pair.kind)) : json(nullptr)},
          {"reason", pair.reason}};
}

json to_object(const detail::hybrid_cpus& each) {
  return {{"worker_cpu", each.worker_cpu}, {"assistant_cpu", or_null(each.assistant_cpu)}};
}

json to_object(const round_trips& trips) {
  json matrix = json::array();
  for (const auto& row : trips.matrix) {
    json cells = json::array();
    for (const std::optional<double>& cell : row) {
      cells.push_back(or_null(cell));
    }
    matrix.push_back(std::move(cells));
  }
  return {{"cpus", trips.cpus}, {"matrix", std::move(matrix)}};
}

// Appends text formatted as by printf. Lines must be short.
__attribute__((format(printf, 2, 3))) void append(std::string& text, const char* format, ...) {
  std::array<char, 256> line{};
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  text += line.data();
}

std::string to_list(const std::vector<int>& cpus) {
  std::string list;
  for (const int cpu : cpus) {
    list += (list.empty() ? "" : " ") + std::to_string(cpu);
  }
  return list;
}

// -1 means "not known" in the data.
std::string or_dash(int number) { return number < 0 ? "-" : std::to_string(number); }

void append_cpus(std::string& text, const topology& cpus) {
  append(text, "CPUs, from %s (cores and caches are named by their lowest CPU):\n",
         cpus.source.c_str());
  append(text, "%6s %6s %6s %6s %8s %6s %6s\n", "CPU", "core", "L2", "L3", "package", "NUMA",
         "class");
  for (const logical_cpu& cpu : cpus.cpus) {
    append(text, "%6d %6s %6s %6s %8s %6s %6d\n", cpu.id, or_dash(cpu.core).c_str(),
           or_dash(cpu.l2).c_str(), or_dash(cpu.l3).c_str(), or_dash(cpu.package).c_str(),
           or_dash(cpu.numa_node).c_str(), cpu.efficiency_class);
  }
  if (cpus.cpus.empty()) {
    text += "  none: the system does not report them (is /sys mounted?)\n";
  }
}

void append_pair(std::string& text, const placement& pair) {
  if (pair.assistant_cpu) {
    append(text, "a relic would use: main CPU %d, assistant CPU %d, %s\n", pair.main_cpu,
           *pair.assistant_cpu, to_string(pair.kind));
    text += "because: " + pair.reason + "\n";
  } else {
    text += "a relic would work inline: " + pair.reason + "\n";
  }
}

void append_workers(std::string& text, const std::vector<detail::hybrid_cpus>& workers) {
  text += "a pool would have its workers on CPUs";
  for (const detail::hybrid_cpus& each : workers) {
    text += " " + or_dash(each.worker_cpu);
    if (each.assistant_cpu) {
      append(text, " (assistant: %d)", *each.assistant_cpu);
    }
  }
  text += '\n';
}

void append_round_trips(std::string& text, const round_trips& trips) {
  text += "floor: round trip of one cache line, ns:\n      ";
  for (const int cpu : trips.cpus) {
    append(text, " %6d", cpu);
  }
  for (std::size_t i = 0; i < trips.cpus.size(); ++i) {
    append(text, "\n%6d", trips.cpus[i]);
    for (const std::optional<double>& cell : trips.matrix[i]) {
      if (cell) {
        append(text, " %6.0f", *cell);
      } else {
        append(text, " %6s", "-");
      }
    }
  }
  text += '\n';
}

}  // namespace

std::string to_json(const machine_report& report) {
  json cpus = json::array();
  for (const logical_cpu& cpu : report.host.cpus->cpus) {
    cpus.push_back(to_object(cpu));
  }
  json placements = json::array();
  for (const example_pair& pair : report.placements) {
    placements.push_back({{"kind", to_string(pair.kind)},
                          {"main_cpu", pair.main_cpu},
                          {"assistant_cpu", pair.assistant_cpu}});
  }
  json workers = json::array();
  for (const detail::hybrid_cpus& each : report.workers) {
    workers.push_back(to_object(each));
  }
  const json object = {
      {"cpus", std::move(cpus)},
      {"allowed", report.allowed},
      {"quota_cpus", or_null(report.host.quota_cpus)},
      {"source", report.host.cpus->source},
      {"pair", to_object(report.pair)},
      {"placements", std::move(placements)},
      {"workers", std::move(workers)},
      {"round_trip_ns", report.round_trip_ns ? to_object(*report.round_trip_ns) : json(nullptr)},
      {"break_even_ns", report.break_even_ns ? json(report.break_even_ns->median) : json(nullptr)}};
  return object.dump();
}

std::string to_text(const machine_report& report) {
  std::string text;
  append_cpus(text, *report.host.cpus);
  text += "allowed: " + to_list(report.allowed) + "\n";
  if (report.host.quota_cpus) {
    append(text, "cgroup quota: %.3g CPUs\n", *report.host.quota_cpus);
  } else {
    text += "cgroup quota: none\n";
  }
  append_pair(text, report.pair);
  append_workers(text, report.workers);
  if (report.round_trip_ns && report.round_trip_ns->cpus.size() > 1) {
    append_round_trips(text, *report.round_trip_ns);
  }
  if (report.break_even_ns) {
    append(text,
           "break-even: two branches of %.0f ns each, as long as an empty task takes on a relic\n"
           "  (%.0f to %.0f: they are far apart where something else runs)\n",
           report.break_even_ns->median, report.break_even_ns->least, report.break_even_ns->most);
  }
  return text;
}

}  // namespace fg::info
