// The threads of this process, as Windows lists them: process_threads.hpp there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <windows.h>
// Windows's own headers come first.
#include <tlhelp32.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "finegrain/core/windows_api.hpp"

namespace fg::test {

/// Their numbers, ascending. One may have ended when this returns.
inline std::vector<DWORD> process_threads() {
  std::vector<DWORD> threads;
  void* const list = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  THREADENTRY32 entry{};
  entry.dwSize = sizeof entry;
  for (BOOL more = Thread32First(list, &entry); more != 0; more = Thread32Next(list, &entry)) {
    if (entry.th32OwnerProcessID == GetCurrentProcessId()) {
      threads.push_back(entry.th32ThreadID);
    }
  }
  CloseHandle(list);
  std::ranges::sort(threads);
  return threads;
}

/// What `SetThreadDescription` gave the thread; empty if it has ended or has no name.
inline std::string name_of_thread(DWORD thread) {
  using function = long __stdcall(void* thread, wchar_t** name);
  static auto* const ask =
      fg::detail::windows::find_function<function>(L"kernelbase.dll", "GetThreadDescription");
  constexpr DWORD kQueryLimitedInformation = 0x800;
  void* const handle = OpenThread(kQueryLimitedInformation, FALSE, thread);
  wchar_t* wide = nullptr;
  std::string name;
  if (ask != nullptr && ask(handle, &wide) >= 0) {
    for (const wchar_t* letter = wide; *letter != L'\0'; ++letter) {
      name += static_cast<char>(*letter);  // the tests' names are ASCII
    }
    LocalFree(wide);
  }
  CloseHandle(handle);
  return name;
}

/// The names with this prefix, in alphabetical order.
inline std::vector<std::string> names_of_threads(const std::string& beginning) {
  std::vector<std::string> names;
  for (const DWORD thread : process_threads()) {
    std::string name = name_of_thread(thread);
    if (name.starts_with(beginning)) {
      names.push_back(std::move(name));
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace fg::test
