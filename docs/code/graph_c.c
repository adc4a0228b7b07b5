/* Graphs with parts in C: docs/graph.md. */
#include <finegrain/finegrain.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_peaks = 8 };

typedef struct image {
  int blurred;
  int error;
  int peaks;
  int heights[most_peaks + 1];
} image;

static void load_image(void* arguments) {
  image* const self = arguments;
  self->error = 100;
  self->peaks = 5;
}
static void blur_rows(void* arguments) { ++((image*)arguments)->blurred; }
static void relax(void* arguments) { ((image*)arguments)->error /= 2; }
static int not_yet(void* arguments) { return ((image*)arguments)->error > 1; }
static void measure_peak(void* height) { *(int*)height = 7; }

static fg_status add_peaks(void* arguments, fg_graph* more) {
  image* const self = arguments;
  fg_status status = FG_OK;
  for (int at = 0; status == FG_OK && at != self->peaks; ++at) {
    status = fg_graph_add(more, NULL, measure_peak, &self->heights[at], NULL);
  }
  return status;
}

int main(void) {
  fg_graph* blur = NULL;
  fg_graph* step = NULL;
  fg_graph* graph = NULL;
  if (fg_graph_create(&blur) != FG_OK || fg_graph_create(&step) != FG_OK ||
      fg_graph_create(&graph) != FG_OK) {
    fprintf(stderr, "graph_c: %s\n", fg_last_error());
    return EXIT_FAILURE;
  }
  image frame = {0, 0, 0, {0}};
  fg_graph_add(blur, "rows", blur_rows, &frame, NULL);
  fg_graph_add(step, "relax", relax, &frame, NULL);

  size_t load = 0;
  size_t smooth = 0;
  size_t solve = 0;
  size_t peaks = 0;
  fg_graph_add(graph, "load", load_image, &frame, &load);
  fg_graph_add_graph(graph, "smooth", blur, &smooth);
  fg_graph_add_loop(graph, "solve", not_yet, &frame, step, &solve);
  fg_graph_add_growing(graph, "peaks", add_peaks, &frame, most_peaks, 0, 0, &peaks);
  fg_graph_add_edge(graph, load, smooth);
  fg_graph_add_edge(graph, smooth, solve);
  fg_graph_add_edge(graph, load, peaks);

  const fg_status status = fg_graph_run(graph);
  if (status != FG_OK) {
    fprintf(stderr, "graph_c: %s\n", fg_last_error());
  }
  frame.peaks = most_peaks + 1; /* more than are reserved */
  fg_graph_remove(graph, load);
  const fg_status refused = fg_graph_run(graph);
  fg_graph_destroy(graph); /* before its parts */
  fg_graph_destroy(step);
  fg_graph_destroy(blur);
  return status == FG_OK && frame.blurred >= 1 && frame.error == 1 && frame.heights[4] == 7 &&
                 frame.heights[5] == 0 && refused == FG_INVALID_ARGUMENT
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}
