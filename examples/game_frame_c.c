/* game_frame.cpp in C: 20 000 creatures think, some much longer than others, move, and those in
 * view are gathered in order. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <finegrain/finegrain.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gain.h"

enum { kCreatures = 20000, kFramesPerSample = 5 };

typedef struct creature {
  float x;
  float y;
  float heading;
  uint32_t mood;
} creature;

typedef struct world {
  creature creatures[kCreatures];
  unsigned char is_in_view[kCreatures];
  uint32_t drawn[kCreatures];
  size_t drawn_count;
} world;

static void hatch(world* self) {
  uint32_t seed = 1;
  for (size_t i = 0; i < kCreatures; ++i) {
    seed = seed * 1664525U + 1013904223U;
    self->creatures[i] = (creature){(float)(seed >> 20), (float)(seed >> 8 & 4095U), 0, seed};
  }
}

/* One in 64 looks far ahead, which takes thirty times as long. */
static void think(void* arguments, size_t begin, size_t end) {
  world* const self = arguments;
  for (size_t i = begin; i < end; ++i) {
    creature* const each = &self->creatures[i];
    const int depth = each->mood % 64 == 0 ? 300 : 10;
    for (int step = 0; step < depth; ++step) {
      each->mood = each->mood * 1664525U + 1013904223U;
      each->heading += (float)(each->mood >> 24) / 256.0F - 0.5F;
    }
  }
}

static void move(void* arguments, size_t begin, size_t end) {
  world* const self = arguments;
  for (size_t i = begin; i < end; ++i) {
    creature* const each = &self->creatures[i];
    each->x += cosf(each->heading);
    each->y += sinf(each->heading);
    self->is_in_view[i] = each->x > 1000 && each->x < 3000 && each->y > 1000 && each->y < 3000;
  }
}

static void gather(world* self) {
  self->drawn_count = 0;
  for (size_t i = 0; i < kCreatures; ++i) {
    if (self->is_in_view[i]) {
      self->drawn[self->drawn_count++] = (uint32_t)i;
    }
  }
}

static void frame_alone(world* self) {
  think(self, 0, kCreatures);
  move(self, 0, kCreatures);
  gather(self);
}

/* Called on a worker of a pool. A loop returns when all of it has run. */
static void frame_shared(void* arguments) {
  fg_parallel_for(0, kCreatures, think, arguments, FG_LAZY, 0);
  fg_parallel_for(0, kCreatures, move, arguments, FG_LAZY, 0);
  gather(arguments);
}

/* For gain_measure: each way has a world of its own. */
typedef struct game {
  fg_pool* pool;
  world alone;
  world shared;
} game;

static void frames_alone(void* arguments) {
  game* const self = arguments;
  for (int frame = 0; frame < kFramesPerSample; ++frame) {
    frame_alone(&self->alone);
  }
}

static void frames_shared(void* arguments) {
  game* const self = arguments;
  for (int frame = 0; frame < kFramesPerSample; ++frame) {
    fg_pool_run(self->pool, frame_shared, &self->shared);
  }
}

int main(int count, char** arguments) {
  static game both;
  const int pairs = pairs_wanted(count, arguments, 100);
  if (fg_pool_create(NULL, &both.pool) != FG_OK) {
    fprintf(stderr, "game_frame_c: %s\n", fg_last_error());
    return EXIT_FAILURE;
  }
  hatch(&both.alone);
  hatch(&both.shared);
  printf("%zu workers\n", fg_pool_size(both.pool));
  gain_measure("a frame on the pool", pairs, frames_alone, frames_shared, &both);
  fg_pool_destroy(both.pool);
  const size_t drawn = both.alone.drawn_count;
  const int is_right =
      drawn != 0 && drawn == both.shared.drawn_count &&
      memcmp(both.alone.drawn, both.shared.drawn, drawn * sizeof *both.alone.drawn) == 0;
  if (!is_right) {
    printf("the frames differ\n");
  }
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
