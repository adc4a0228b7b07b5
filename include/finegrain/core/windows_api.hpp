// What the headers call of Windows, declared without <windows.h> and its macros.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "finegrain/core/config.hpp"

// As in Windows's own headers, which a program may include before or after this one.
struct HINSTANCE__;
struct _FILETIME;
struct _GROUP_AFFINITY;
struct _PROCESSOR_NUMBER;

namespace fg::inline FINEGRAIN_ABI::detail::windows {
using any_function = std::intptr_t(__stdcall*)();
}

extern "C" {
__declspec(dllimport) HINSTANCE__* __stdcall GetModuleHandleW(const wchar_t* library);
__declspec(dllimport)
HINSTANCE__* __stdcall LoadLibraryExW(const wchar_t* library, void* reserved, unsigned long flags);
__declspec(dllimport) fg::detail::windows::any_function __stdcall GetProcAddress(
    HINSTANCE__* library, const char* name);
__declspec(dllimport) unsigned long __stdcall GetLastError();
__declspec(dllimport) unsigned long __stdcall GetCurrentProcessId();
__declspec(dllimport) unsigned long __stdcall GetCurrentThreadId();
__declspec(dllimport) void* __stdcall GetCurrentThread();
__declspec(dllimport) void __stdcall FlushProcessWriteBuffers();
__declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void* thread, unsigned long ms);
__declspec(dllimport) int __stdcall SetThreadPriority(void* thread, int priority);
__declspec(dllimport) int __stdcall GetThreadTimes(void* thread, _FILETIME* made, _FILETIME* ended,
                                                   _FILETIME* kernel, _FILETIME* user);
__declspec(dllimport) int __stdcall GetThreadGroupAffinity(void* thread, _GROUP_AFFINITY* cpus);
__declspec(dllimport) int __stdcall SetThreadGroupAffinity(void* thread,
                                                           const _GROUP_AFFINITY* cpus,
                                                           _GROUP_AFFINITY* before);
__declspec(dllimport) void __stdcall GetCurrentProcessorNumberEx(_PROCESSOR_NUMBER* cpu);
__declspec(dllimport) unsigned short __stdcall GetActiveProcessorGroupCount();
__declspec(dllimport) unsigned long __stdcall GetActiveProcessorCount(unsigned short group);
__declspec(dllimport) int __stdcall MultiByteToWideChar(unsigned int code_page, unsigned long flags,
                                                        const char* from, int bytes, wchar_t* to,
                                                        int characters);
}

namespace fg::inline FINEGRAIN_ABI::detail::windows {

/// A function of a loaded library; null if it has none of that name, or if `loaded` is null.
template <class Function>
Function* find_function(HINSTANCE__* loaded, const char* name) noexcept {
  // By way of a function without parameters: compilers warn of any other cast.
  return loaded == nullptr ? nullptr
                           : reinterpret_cast<Function*>(
                                 reinterpret_cast<void (*)()>(GetProcAddress(loaded, name)));
}

/// A function of a library that every process has loaded; null if this version of Windows lacks it.
/// For functions that are in no library that a program links by itself, that are not in every
/// Windows 10, or whose types only <windows.h> can define. A search: keep the result. Any thread.
template <class Function>
Function* find_function(const wchar_t* library, const char* name) noexcept {
  return find_function<Function>(GetModuleHandleW(library), name);
}

/// Windows's handle of a std::thread. Microsoft's library and libc++ call that its native handle;
/// libstdc++ has the number that winpthreads gives the thread. Requires: it has not been joined.
template <class Native>
void* thread_handle(Native native) noexcept {
  if constexpr (std::is_same_v<Native, void*>) {
    return native;
  } else {
    return pthread_gethandle(native);
  }
}

}  // namespace fg::inline FINEGRAIN_ABI::detail::windows
