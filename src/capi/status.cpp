// SPDX-License-Identifier: Apache-2.0
#include "capi/status.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "finegrain/version.h"

namespace fg::capi {

namespace {

error_text& own_text() noexcept {
  static thread_local error_text text{};
  return text;
}

// Text of the exception being handled.
const char* text_of_exception() noexcept {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

fg_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return FG_NO_MEMORY;
  } catch (const std::logic_error&) {
    return FG_INVALID_ARGUMENT;
  } catch (const std::system_error&) {
    return FG_SYSTEM_ERROR;
  } catch (const std::runtime_error&) {
    return FG_NOT_SUPPORTED;  // thrown by a wait policy if the processor lacks its instructions
  } catch (...) {
    return FG_INTERNAL_ERROR;
  }
}

}  // namespace

const error_text& last_error() noexcept { return own_text(); }

fg_status fail(fg_status status, const char* why) noexcept {
  error_text& kept = own_text();
  const std::string_view text = std::string_view{why}.substr(0, kept.size() - 1);
  *std::ranges::replace_copy_if(
       text, kept.begin(), [](char each) { return each == '\n' || each == '\r'; }, ' ')
       .out = '\0';
  return status;
}

fg_status failed_by_exception() noexcept {
  return fail(status_of_exception(), text_of_exception());
}

fg_status failed_by_task() noexcept { return fail(FG_TASK_THREW, text_of_exception()); }

fg_status null_pointer(const char* what) noexcept {
  std::array<char, 64> text{};
  constexpr std::string_view kEnd = " is a null pointer";
  const std::string_view name = std::string_view{what}.substr(0, text.size() - kEnd.size() - 1);
  std::ranges::copy(kEnd, std::ranges::copy(name, text.begin()).out);
  return fail(FG_INVALID_ARGUMENT, text.data());
}

}  // namespace fg::capi

const char* fg_strerror(int status) noexcept {
  static constexpr std::array kTexts{
      "no error",
      "invalid argument",
      "out of memory",
      "the queue is full",
      "the system refused",
      "the processor does not support it",
      "a task has thrown an exception",
      "internal error",
      "cancelled",
  };
  static_assert(kTexts.size() == FG_CANCELLED + 1);
  return status >= 0 && static_cast<std::size_t>(status) < kTexts.size()
             ? kTexts[static_cast<std::size_t>(status)]
             : "not a status of finegrain";
}

const char* fg_last_error() noexcept { return fg::capi::last_error().data(); }

const char* fg_version() noexcept { return FINEGRAIN_VERSION; }
