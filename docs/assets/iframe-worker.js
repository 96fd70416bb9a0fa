// Search in pages that are opened from a folder: a browser starts no worker there, so a hidden frame runs its script.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = (this.inside = frame.contentWindow);
      addEventListener("message", ({ source, data }) => {
        if (source === inside) this.dispatchEvent(new MessageEvent("message", { data }));
      });
      inside.document.open();
      inside.document.write("<script>postMessage = (data) => parent.postMessage(data, '*')</script>");
      inside.document.write(`<script src="${url}"></script>`);
      inside.document.close();
      // Only now: opening a document forgets who listens to its window.
      this.ready = new Promise((loaded) => (inside.onload = loaded));
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
