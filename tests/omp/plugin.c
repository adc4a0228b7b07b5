// A program without OpenMP that opens a plugin with it, RTLD_LOCAL: the runtime is not in the
// global symbol scope. The plugin's path is the file beside this program.
/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "plugin.c:%d: %s does not hold\n", __LINE__, #condition); \
      _exit(1);                                                                 \
    }                                                                           \
  } while (0)

int main(void) {
  char path[PATH_MAX + sizeof ".so"];
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  EXPECT(length > 0);
  snprintf(path + length, sizeof ".so", ".so");
  void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  EXPECT(plugin);
  int (*library_fib)(int, int);
  *(void**)&library_fib = dlsym(plugin, "library_fib");
  EXPECT(library_fib);
  int (*library_team)(void);
  *(void**)&library_team = dlsym(plugin, "library_team");
  EXPECT(library_team);
  const char* threads_text = getenv("OMP_NUM_THREADS");
  const int threads = threads_text ? atoi(threads_text) : 2;
  for (int i = 0; i < 5; ++i) EXPECT(library_fib(12, threads) == 144);
  EXPECT(library_team() == threads);
  EXPECT(library_fib(12, 1) == 144);
  puts("ok");
  return 0;
}
