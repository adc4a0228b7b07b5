// Runs part of a test in a fork of the process, so that its effects on the process end with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>

/// At the beginning of a test that calls `in_child`.
#define FINEGRAIN_TEST_NEEDS_FORK static_cast<void>(0)
#else
#include <cstdlib>

#define FINEGRAIN_TEST_NEEDS_FORK GTEST_SKIP() << "this system has no fork()"
#endif

namespace fg::test {

/// The result of `body`, called in a child of this process: a number up to 99. Or 100 plus the
/// signal that ended it: an alarm ends a child that hangs after a minute. Requires: no other thread
/// that `body` might wait for.
template <class Body>
int in_child([[maybe_unused]] Body body) {
#if defined(__unix__) || defined(__APPLE__)
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
#else
  std::abort();
#endif
}

}  // namespace fg::test
