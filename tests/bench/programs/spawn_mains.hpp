// The `main`s of the spawn programs that the tests call; the build gives them these names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

int spawn_serial(int argc, char** argv);
int spawn_pool(int argc, char** argv);
