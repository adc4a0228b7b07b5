/* inference_step.cpp in C: two layers of 256 x 256, then a softmax. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <finegrain/finegrain.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gain.h"

enum { kWidth = 256, kStepsPerSample = 200 };

typedef struct network {
  float first[kWidth * kWidth];
  float second[kWidth * kWidth];
  float in[kWidth];
  float hidden[kWidth];
  float out[kWidth];
  float expected[kWidth];
  fg_relic* relic;
  int is_right;
} network;

static void fill(float* numbers, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    numbers[i] = (float)(seed >> 8) / (float)(1U << 24) - 0.5F;
  }
}

static float dot(const float* row, const float* in) {
  float sums[8] = {0}; /* so that the compiler may use vector registers */
  for (size_t i = 0; i < kWidth; i += 8) {
    for (size_t lane = 0; lane < 8; ++lane) {
      sums[lane] += row[i + lane] * in[i + lane];
    }
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* The rows of a layer, on any threads. */
static void first_layer(void* arguments, size_t begin, size_t end) {
  network* const net = arguments;
  for (size_t row = begin; row < end; ++row) {
    net->hidden[row] = fmaxf(0, dot(&net->first[row * kWidth], net->in));
  }
}

static void second_layer(void* arguments, size_t begin, size_t end) {
  network* const net = arguments;
  for (size_t row = begin; row < end; ++row) {
    net->out[row] = dot(&net->second[row * kWidth], net->hidden);
  }
}

static void softmax(float* values) {
  float greatest = values[0];
  for (size_t i = 1; i < kWidth; ++i) {
    greatest = fmaxf(greatest, values[i]);
  }
  float sum = 0;
  for (size_t i = 0; i < kWidth; ++i) {
    values[i] = expf(values[i] - greatest);
    sum += values[i];
  }
  for (size_t i = 0; i < kWidth; ++i) {
    values[i] /= sum;
  }
}

static void step_alone(network* net) {
  first_layer(net, 0, kWidth);
  second_layer(net, 0, kWidth);
  softmax(net->out);
}

static void step_shared(network* net) {
  static FG_THREAD_LOCAL fg_site first_site; /* what this thread has measured for each loop */
  static FG_THREAD_LOCAL fg_site second_site;
  fg_relic_parallel_for(net->relic, &first_site, 0, kWidth, first_layer, net, 0);
  fg_relic_parallel_for(net->relic, &second_site, 0, kWidth, second_layer, net, 0);
  softmax(net->out);
}

static void repeat(network* net, void (*step)(network*)) {
  for (int i = 0; i < kStepsPerSample; ++i) {
    memset(net->out, 0, sizeof net->out);
    step(net);
    for (size_t i = 0; i < kWidth; ++i) {
      net->is_right &= net->out[i] == net->expected[i];
    }
  }
}

static void repeat_alone(void* net) { repeat(net, step_alone); }

static void repeat_shared(void* net) { repeat(net, step_shared); }

int main(int count, char** arguments) {
  static network net;
  const int pairs = pairs_wanted(count, arguments, 200);
  fill(net.first, sizeof net.first / sizeof *net.first, 1);
  fill(net.second, sizeof net.second / sizeof *net.second, 2);
  fill(net.in, kWidth, 3);
  if (fg_relic_create(NULL, &net.relic) != FG_OK) {
    fprintf(stderr, "inference_step_c: %s\n", fg_last_error());
    return EXIT_FAILURE;
  }
  step_alone(&net);
  memcpy(net.expected, net.out, sizeof net.out);
  net.is_right = 1;
  printf("a step takes %.1f us on one thread\n",
         gain_seconds(repeat_alone, &net) * 1e6 / (double)kStepsPerSample);
  gain_measure("with an assistant", pairs, repeat_alone, repeat_shared, &net);
  fg_relic_destroy(net.relic);
  if (!net.is_right) {
    printf("the results differ\n");
  }
  return net.is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
