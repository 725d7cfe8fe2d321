"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);

/** An element with text and attributes; text is never read as markup. */
function element(name, text, attributes) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  return made;
}

/** Does something when something that a selector finds is clicked, now or once it is there. */
function onClick(selector, act) {
  document.addEventListener("click", (e) => { const found = e.target.closest(selector); if (found) act(found); });
}

/**
 * Rows that can be searched for words, or "several words", a part of them at a time. `rows` are {text, kind, cells}: the text that is searched, a kind
 * that can be chosen, and what makes the cells. Returns a function that looks for words, and shows rows of a kind.
 */
function searchable(rows, each = 100) {
  const texts = rows.map((row) => row.text.toLowerCase().replaceAll("\"", " "));
  let found = [], shown = 0;
  const kinds = [...new Set(rows.map((row) => row.kind))].sort();
  by("kind").replaceChildren(element("option", "any", {value: ""}), ...kinds.map((kind) => element("option", kind, {value: kind})));
  function further() {
    const next = found.slice(shown, shown + each);
    by("lines").append(...next.map((row) => { const made = element("tr"); made.append(...row.cells()); return made; }));
    shown += next.length;
    by("more").hidden = shown >= found.length;
  }
  function search() {
    const words = [...by("find").value.toLowerCase().matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted || word), kind = by("kind").value;
    found = rows.filter((row, n) => (!kind || row.kind === kind) && words.every((word) => texts[n].includes(word)));
    by("found").textContent = `${found.length} of ${rows.length}`;
    shown = 0;
    by("lines").replaceChildren();
    further();
  }
  by("more").onclick = further;
  by("find").oninput = by("kind").oninput = search;
  search();
  return (words, kind) => { by("find").value = words; by("kind").value = kind; search(); };
}

/** Opens what a link leads to, and what that is folded in. */
function openTarget() {
  const there = location.hash.length > 1 && by(decodeURIComponent(location.hash.slice(1)));
  const closed = there && there.querySelector("details");
  if (closed) closed.open = true;
  for (let around = there; around; around = around.parentElement) if (around.matches("details")) around.open = true;
}
window.addEventListener("hashchange", openTarget);
openTarget();
