/* audio_callback.cpp in C: 64 frames at 48 kHz are due every 1.33 ms. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include <finegrain/finegrain.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/gain.h"

enum { kFrames = 64, kPeriodNs = 1333333, kMostVoices = 100000, kProbedVoices = 1000 };

static const double rate = 48000;

/* A sine with a little feedback: each sample depends on the one before. */
typedef struct voice {
  double step;
  double phase;
  double last;
} voice;

typedef struct half {
  voice* voices;
  size_t count;
  float mixed[kFrames];
} half;

typedef struct mixer {
  fg_relic* relic; /* NULL: no assistant */
  half low;
  half high;
  float sum[kFrames];
} mixer;

static void mix_half(void* arguments) {
  half* const self = arguments;
  memset(self->mixed, 0, sizeof self->mixed);
  for (size_t i = 0; i < self->count; ++i) {
    voice* const each = &self->voices[i];
    for (size_t frame = 0; frame < kFrames; ++frame) {
      each->last = sin(each->phase + 0.3 * each->last);
      each->phase += each->step;
      self->mixed[frame] += (float)each->last;
    }
  }
}

/* One callback. The sum is the same, bit for bit, on one thread or two. */
static void mix(mixer* self) {
  static FG_THREAD_LOCAL fg_site site;
  if (self->relic == NULL) {
    mix_half(&self->low);
    mix_half(&self->high);
  } else {
    fg_relic_fork_join(self->relic, &site, mix_half, &self->low, mix_half, &self->high);
  }
  for (size_t frame = 0; frame < kFrames; ++frame) {
    self->sum[frame] = self->low.mixed[frame] + self->high.mixed[frame];
  }
}

static mixer make_mixer(voice* voices, size_t count, fg_relic* relic) {
  for (size_t i = 0; i < count; ++i) {
    voices[i] = (voice){6.283185307 * (110.0 + (double)i) / rate, 0, 0};
  }
  const mixer made = {
      relic, {voices, count / 2, {0}}, {voices + count / 2, count - count / 2, {0}}, {0}};
  return made;
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* By a duration: macOS has no clock_nanosleep. */
static void sleep_until(int64_t ns) {
  const int64_t left = ns - now_ns();
  if (left > 0) {
    const struct timespec time = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
    nanosleep(&time, NULL);
  }
}

typedef struct performance {
  int missed;
  double checksum; /* of everything that was played */
} performance;

/* Calls back every period. A callback that ends after its period has missed it: a click. */
static performance play(mixer desk, int callbacks) {
  performance played = {0, 0};
  int64_t due = now_ns() + kPeriodNs;
  for (int i = 0; i < callbacks; ++i) {
    mix(&desk);
    for (size_t frame = 0; frame < kFrames; ++frame) {
      played.checksum += (double)desk.sum[frame];
    }
    const int64_t now = now_ns();
    if (now > due) {
      ++played.missed;
      due = now; /* the card has played silence meanwhile, and continues from here */
    }
    sleep_until(due);
    due += kPeriodNs;
  }
  return played;
}

/* For gain_measure: each way has voices of its own. */
typedef struct desks {
  mixer alone;
  mixer shared;
} desks;

static void mix_alone(void* arguments) { mix(&((desks*)arguments)->alone); }

static void mix_shared(void* arguments) { mix(&((desks*)arguments)->shared); }

int main(int count, char** arguments) {
  static voice voices[kMostVoices];
  static voice others[kMostVoices];
  const int pairs = pairs_wanted(count, arguments, 100);
  fg_relic* relic = NULL; /* learns the period, and is awake when the next callback comes */
  if (fg_relic_create(NULL, &relic) != FG_OK) {
    fprintf(stderr, "audio_callback_c: %s\n", fg_last_error());
    return EXIT_FAILURE;
  }

  desks probe = {make_mixer(voices, kProbedVoices, NULL), make_mixer(others, kProbedVoices, relic)};
  double all = 0;
  for (int i = 0; i < 20; ++i) {
    all += gain_seconds(mix_alone, &probe);
  }
  const double voice_us = all * 1e6 / (20.0 * (double)kProbedVoices);
  printf("a voice takes %.2f us a callback on one thread\n", voice_us);

  int is_right = 1;
  const int callbacks = 2 * pairs;
  const int percents[] = {50, 90, 140};
  for (size_t i = 0; i < sizeof percents / sizeof *percents; ++i) {
    const size_t wanted = (size_t)(1333.3 / voice_us * percents[i] / 100);
    const size_t played = wanted < kMostVoices ? wanted : kMostVoices;
    const performance plain = play(make_mixer(voices, played, NULL), callbacks);
    const performance ours = play(make_mixer(voices, played, relic), callbacks);
    is_right &= plain.checksum == ours.checksum;
    printf("%5zu voices, %3d %% of one thread: missed %d of %d alone, %d with an assistant\n",
           played, percents[i], plain.missed, callbacks, ours.missed);
  }

  const size_t full = (size_t)(1333.3 / voice_us);
  const size_t mine = full < kMostVoices ? full : kMostVoices;
  desks both = {make_mixer(voices, mine, NULL), make_mixer(others, mine, relic)};
  gain_measure("a callback with an assistant", pairs, mix_alone, mix_shared, &both);
  fg_relic_destroy(relic);
  if (!is_right) {
    printf("they did not play the same\n");
  }
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
