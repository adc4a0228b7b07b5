// Records the calls of the profiler interfaces that replace the real ones here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace fg::test {

/// Counts zones by name. Throws if a zone ends that is not the thread's innermost. Any thread.
class zone_record {
 public:
  static zone_record& instance() {
    static auto* const only = new zone_record;  // used until the process ends
    return *only;
  }

  void begin(const std::string& name) {
    const std::lock_guard lock{mutex_};
    ++begun_[name];
    open().push_back(name);
  }
  void end() {
    const std::lock_guard lock{mutex_};
    if (open().empty()) {
      throw std::logic_error{"a zone ends that has not begun"};
    }
    ++ended_[open().back()];
    open().pop_back();
  }

  void clear() {
    const std::lock_guard lock{mutex_};
    begun_.clear();
    ended_.clear();
  }
  [[nodiscard]] unsigned begun(const std::string& name) { return count(begun_, name); }
  [[nodiscard]] unsigned ended(const std::string& name) { return count(ended_, name); }
  /// Requires: no thread sleeps, for that is a zone, too.
  [[nodiscard]] bool all_have_ended() {
    const std::lock_guard lock{mutex_};
    return begun_ == ended_;
  }

 private:
  unsigned count(const std::map<std::string, unsigned>& zones, const std::string& name) {
    const std::lock_guard lock{mutex_};
    const auto found = zones.find(name);
    return found == zones.end() ? 0 : found->second;
  }

  static std::vector<std::string>& open() {
    thread_local std::vector<std::string> innermost_last;
    return innermost_last;
  }

  std::mutex mutex_;
  std::map<std::string, unsigned> begun_;
  std::map<std::string, unsigned> ended_;
};

}  // namespace fg::test
