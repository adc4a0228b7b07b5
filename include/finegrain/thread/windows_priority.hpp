// Windows's priorities and its multimedia class scheduler (MMCSS), and which of them stand for a
// scheduling class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

#include "finegrain/core/windows_api.hpp"
#include "finegrain/thread/scheduling.hpp"

namespace fg::inline FINEGRAIN_ABI::detail::windows {

/// The priority within the class of the process, a THREAD_PRIORITY_….
constexpr int priority_for(scheduling_class kind) noexcept {
  constexpr int kNormal = 0;
  constexpr int kBelowNormal = -1;
  constexpr int kIdle = -15;
  constexpr int kTimeCritical = 15;
  switch (kind) {
    case scheduling_class::batch:
      return kBelowNormal;
    case scheduling_class::idle:
      return kIdle;
    case scheduling_class::fifo:
    case scheduling_class::round_robin:
      return kTimeCritical;
    default:
      return kNormal;
  }
}

/// The task of the multimedia class scheduler; null: none.
constexpr const wchar_t* multimedia_task_for(scheduling_class kind) noexcept {
  switch (kind) {
    case scheduling_class::fifo:
      return L"Pro Audio";
    case scheduling_class::round_robin:
      return L"Games";
    default:
      return nullptr;
  }
}

/// The system's error numbers; 0: not refused.
struct class_refusals {
  unsigned long priority = 0;
  unsigned long multimedia = 0;  ///< the thread has its priority all the same

  /// Empty if nothing was refused. Throws std::bad_alloc.
  [[nodiscard]] std::string message() const {
    const auto said = [](const char* what, unsigned long error) {
      return what + std::system_category().message(static_cast<int>(error));
    };
    return priority != 0 ? said("the system refused the scheduling class: ", priority)
           : multimedia != 0
               ? said("time critical without the multimedia class scheduler: ", multimedia)
               : "";
  }
};

/// Gives the calling thread a class, and takes it out of the multimedia class scheduler in the end:
/// only the thread itself can. A class that `try_schedule` refuses changes nothing.
class own_class {
 public:
  explicit own_class(const scheduling& wanted) noexcept {
    if (wanted.kind == scheduling_class::inherit || has_unknown_priority(wanted)) {
      return;
    }
    if (SetThreadPriority(GetCurrentThread(), priority_for(wanted.kind)) == 0) {
      refusals_.priority = GetLastError();
    } else if (const wchar_t* const task = multimedia_task_for(wanted.kind)) {
      join(task);
    }
  }
  ~own_class() {
    if (membership_ != nullptr) {
      using leave = int __stdcall(void* membership);
      find_function<leave>(library(), "AvRevertMmThreadCharacteristics")(membership_);
    }
  }
  own_class(const own_class&) = delete;
  own_class& operator=(const own_class&) = delete;

  static bool has_unknown_priority(const scheduling& wanted) noexcept {
    return wanted.is_real_time() && wanted.priority > 1;
  }

  [[nodiscard]] class_refusals refusals() const noexcept { return refusals_; }

 private:
  // Not every Windows Server has it. It stays loaded.
  static HINSTANCE__* library() noexcept {
    constexpr unsigned long kFromSystem = 0x800;  // LOAD_LIBRARY_SEARCH_SYSTEM32
    static HINSTANCE__* const loaded = LoadLibraryExW(L"avrt.dll", nullptr, kFromSystem);
    return loaded;
  }

  void join(const wchar_t* task) noexcept {
    using function = void* __stdcall(const wchar_t* task, unsigned long* index);
    auto* const ask = find_function<function>(library(), "AvSetMmThreadCharacteristicsW");
    constexpr unsigned long kNotFound = 127;  // ERROR_PROC_NOT_FOUND
    unsigned long index = 0;
    membership_ = ask == nullptr ? nullptr : ask(task, &index);
    if (membership_ == nullptr) {
      refusals_.multimedia = ask == nullptr ? kNotFound : GetLastError();
    }
  }

  void* membership_ = nullptr;
  class_refusals refusals_{};
};

}  // namespace fg::inline FINEGRAIN_ABI::detail::windows
