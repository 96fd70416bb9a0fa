"use strict";
// Conveniences only: without this script the page lacks sorting, filtering and quick hints, but no fact.
(() => {
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  const valueOf = (cell) => {
    const text = (cell.dataset.value ?? cell.textContent).trim();
    const number = Number.parseFloat(text.replace(/^[<>]/, ""));
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

  const sortBy = (table, header, index) => {
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => compare(valueOf(a.cells[index]), valueOf(b.cells[index])) * (down ? -1 : 1));
    table.tBodies[0].append(...rows);
  };
  for (const table of all("table.sortable")) {
    // Rows and heads of this table alone: evidence has tables of its own.
    [...table.tHead.rows[0].cells].forEach((header, index) => {
      if (!header.textContent) return;
      const button = make("button", { type: "button", textContent: header.textContent });
      button.addEventListener("click", () => sortBy(table, header, index));
      header.replaceChildren(button);
    });
  }

  for (const tools of all(".tools")) {
    const rows = [...document.getElementById(tools.dataset.for).tBodies[0].rows];
    const chosen = new Set();
    const input = make("input", { type: "search", placeholder: "filter" });
    input.setAttribute("aria-label", "Filter the table");
    const shown = make("output");
    const apply = () => {
      const wanted = input.value.toLowerCase();
      for (const row of rows) {
        const fits = !chosen.size || chosen.has(row.dataset.verdict);
        row.hidden = !(fits && row.textContent.toLowerCase().includes(wanted));
      }
      const left = rows.filter((row) => !row.hidden).length;
      shown.value = wanted || chosen.size ? `${left} of ${rows.length}` : "";
    };
    input.addEventListener("input", apply);
    tools.append(input);
    const verdicts = [...new Set(rows.map((row) => row.dataset.verdict).filter(Boolean))];
    for (const verdict of verdicts.length > 1 ? verdicts : []) {
      const button = make("button", { type: "button", textContent: verdict.replace("-", " ") });
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        if (!chosen.delete(verdict)) chosen.add(verdict);
        button.setAttribute("aria-pressed", String(chosen.has(verdict)));
        apply();
      });
      tools.append(button);
    }
    tools.append(shown);
  }

  // "/" begins to filter, Escape ends it.
  addEventListener("keydown", (event) => {
    const field = event.target.closest("input");
    if (event.key === "/" && !field) {
      const inputs = all(".tools input");
      const below = inputs.find((input) => input.getBoundingClientRect().bottom > 0) ?? inputs[0];
      if (below) { event.preventDefault(); below.focus(); }
    } else if (event.key === "Escape" && field) {
      field.value = "";
      field.dispatchEvent(new Event("input"));
      field.blur();
    }
  });

  // A permalink opens the evidence of its method, also of one that is filtered away.
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    target.hidden = false;
    const details = target.querySelector(".evidence");
    if (details) details.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  const columns = all(".map .column").map((column) => column.dataset.name);
  const tip = make("div", { className: "tip", hidden: true });
  document.body.append(tip);
  for (const mark of all(".map .row [data-c]")) {
    // The browser's own hint would cover ours.
    const title = mark.querySelector("title");
    const text = title.textContent;
    title.remove();
    mark.setAttribute("aria-label", text);
    mark.addEventListener("pointerenter", () => {
      const box = mark.getBoundingClientRect();
      tip.replaceChildren(
        make("b", { textContent: columns[mark.dataset.c] }),
        make("b", { textContent: mark.closest(".row").dataset.name }),
        text,
      );
      tip.hidden = false;
      const left = Math.min(box.right + 8, document.documentElement.clientWidth - tip.offsetWidth - 8);
      tip.style.left = `${Math.max(8, left) + scrollX}px`;
      tip.style.top = `${box.bottom + 6 + scrollY}px`;
    });
    mark.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  for (const code of all(".next code.command, pre.paste > code")) {
    const button = make("button", { type: "button", className: "copy", textContent: "copy" });
    const text = code.textContent;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    });
    code.after(button);
  }

  // Paper shows what is folded, but for long tables: nobody wants fifty pages of cells.
  const short = (details) => details.querySelectorAll("tr, li").length <= 200;
  const unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded.push(...all("details:not([open])").filter(short));
    for (const details of unfolded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of unfolded.splice(0)) details.open = false;
  });
})();
