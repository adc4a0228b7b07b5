#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves a folder's pages as threads require: serve.py build/wasm/examples/browser [PORT]."""

import http.server
import sys
from functools import partial


class Isolated(http.server.SimpleHTTPRequestHandler):
    """Isolates pages from other origins: browsers share memory between threads only there."""

    def end_headers(self) -> None:
        """Adds the two lines that isolate."""
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


def main() -> None:
    """Serves until it is interrupted."""
    folder = sys.argv[1]
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 8000
    address = ("localhost", port)
    with http.server.ThreadingHTTPServer(address, partial(Isolated, directory=folder)) as server:
        print(f"http://localhost:{server.server_port}/break_even.html", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
