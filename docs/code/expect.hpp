// How a page's program tells that a step of it did not do what the page says.
#pragma once

#include <cstdio>

inline bool is_right = true;

inline void expect(const char* step, bool holds) {
  if (!holds) {
    std::printf("%s: wrong\n", step);
    is_right = false;
  }
}
