// Runs part of a test in a fork of the process, so that its effects on the process end with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace fg::test {

/// The result of `body`, called in a child of this process: a number up to 99. Or 100 plus the
/// signal that ended it: an alarm ends a child that hangs after a minute. Requires: no other thread
/// that `body` might wait for.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

}  // namespace fg::test
