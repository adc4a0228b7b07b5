// The theme searches in a Worker, which browsers refuse to a page that was opened from a folder. There a hidden
// frame runs the same script with the same messages. The theme knows such a frame by the name IFrameWorker.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(script) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      frame.contentDocument.open();
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = new Promise((resolve) => this.inside.addEventListener("load", resolve));
      frame.contentDocument.write(`<body><script src="${script}"></script></body>`);
      frame.contentDocument.close();
    }
    async postMessage(data) {
      await this.loaded;
      this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
  window.Worker = window.IFrameWorker;
}
