// The `main`s of the spawn programs that the tests call; the build gives them these names.
#pragma once

int spawn_serial(int argc, char** argv);
int spawn_pool(int argc, char** argv);
