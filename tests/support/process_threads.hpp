// The threads of this process, as the system lists them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(_WIN32)
#include "support/windows_threads.hpp"
#else
#include <sys/types.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace fg::test {

/// How many there are, by the system's own counter. A list of the folders can lack threads that live:
/// it ends where one ends while it is read.
inline std::size_t count_of_threads() {
  std::ifstream status{"/proc/self/status"};
  std::size_t count = 0;
  for (std::string line; count == 0 && std::getline(status, line);) {
    if (line.starts_with("Threads:")) {
      count = std::stoul(line.substr(line.find_first_of("0123456789")));
    }
  }
  return count;
}

inline std::vector<pid_t> listed_threads() {
  std::vector<pid_t> threads;
  std::error_code gone;  // a folder may disappear while it is read
  for (std::filesystem::directory_iterator each{"/proc/self/task", gone}, end; !gone && each != end;
       each.increment(gone)) {
    const std::string name = each->path().filename().string();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{}) {
      threads.push_back(thread);
    }
  }
  return threads;
}

/// Their numbers, ascending. One may have ended when this returns.
inline std::vector<pid_t> process_threads() {
  std::vector<pid_t> threads = listed_threads();
  for (int again = 0; again < 100 && threads.size() != count_of_threads(); ++again) {
    threads = listed_threads();
  }
  std::ranges::sort(threads);
  return threads;
}

/// The names with this prefix, in alphabetical order. The system lists a thread for a moment after
/// it was joined.
inline std::vector<std::string> names_of_threads(const std::string& beginning) {
  std::vector<std::string> names;
  for (const pid_t thread : process_threads()) {
    std::string name;
    std::getline(std::ifstream{"/proc/self/task/" + std::to_string(thread) + "/comm"}, name);
    if (name.starts_with(beginning)) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

/// What /proc reports of a thread: its name, its state, its CPUs. Empty if it has ended.
inline std::string describe_thread(pid_t thread) {
  const std::string folder = "/proc/self/task/" + std::to_string(thread);
  std::ifstream status{folder + "/status"};
  std::string text;
  for (std::string line; std::getline(status, line);) {
    for (const char* const wanted : {"Name:", "State:", "TracerPid:", "Cpus_allowed_list:",
                                     "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"}) {
      if (line.starts_with(wanted)) {
        text += (text.empty() ? "" : "; ") + line;
      }
    }
  }
  std::string waits_in;
  std::getline(std::ifstream{folder + "/wchan"}, waits_in);
  std::ranges::replace(text, '\t', ' ');
  return text + "; waits in: " + waits_in;
}

}  // namespace fg::test
#endif
