/* The first program of docs/graph.md in C. */
#include <finegrain/finegrain.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct chain {
  fg_graph* graph;
  int sample;
  int left;
  int right;
  int out;
} chain;

static void read_sample(void* arguments) { ++((chain*)arguments)->sample; }
static void filter_left(void* arguments) {
  chain* const self = arguments;
  self->left = 2 * self->sample;
}
static void filter_right(void* arguments) {
  chain* const self = arguments;
  self->right = 3 * self->sample;
}
static void mix_both(void* arguments) {
  chain* const self = arguments;
  self->out = self->left + self->right;
  if (self->sample == 1000) {
    fg_graph_cancel(self->graph); /* all nodes of this run have begun, so it ends the next one */
  }
}

int main(void) {
  fg_relic* relic = NULL;
  fg_graph* graph = NULL;
  if (fg_relic_create(NULL, &relic) != FG_OK || fg_graph_create(&graph) != FG_OK) {
    fprintf(stderr, "first_graph_c: %s\n", fg_last_error());
    return EXIT_FAILURE;
  }
  chain audio = {graph, 0, 0, 0, 0};
  size_t read = 0;
  size_t left = 0;
  size_t right = 0;
  size_t mix = 0;
  fg_graph_add(graph, "read", read_sample, &audio, &read);
  fg_graph_add(graph, "left", filter_left, &audio, &left);
  fg_graph_add(graph, "right", filter_right, &audio, &right);
  fg_graph_add(graph, "mix", mix_both, &audio, &mix);
  fg_graph_add_edge(graph, read, left);
  fg_graph_add_edge(graph, read, right);
  fg_graph_add_edge(graph, left, mix);
  fg_graph_add_edge(graph, right, mix);

  fg_status status = FG_OK;
  while ((status = fg_graph_run_on_relic(graph, relic)) == FG_OK) {
  }
  if (status != FG_CANCELLED) {
    fprintf(stderr, "first_graph_c: %s\n", fg_last_error());
  }
  const char* text = "";
  fg_graph_explain(graph, &text);
  printf("%d\n%s", audio.out, text);
  fg_graph_destroy(graph);
  fg_relic_destroy(relic);
  return status == FG_CANCELLED && audio.out == 5000 ? EXIT_SUCCESS : EXIT_FAILURE;
}
