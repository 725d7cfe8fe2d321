"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

/** An element with text and attributes; text is never read as markup. */
function element(name, text, attributes) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  return made;
}

/** Rows for a table a part at a time: `row` makes the row of an item. Returns a function that shows other items. */
function listing(body, more, row, each) {
  let items = [], shown = 0;
  function further() {
    const next = items.slice(shown, shown + each);
    body.append(...next.map(row));
    shown += next.length;
    more.hidden = shown >= items.length;
    more.textContent = `Show ${Math.min(each, items.length - shown)} more of ${items.length - shown}`;
  }
  more.addEventListener("click", further);
  return (others) => { items = others; shown = 0; body.replaceChildren(); further(); };
}

/** Opens what a link leads to, and what that is folded in. */
function openTarget() {
  const there = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = there && there.querySelector("details");
  if (closed) closed.open = true;
  for (let around = there; around; around = around.parentElement) if (around.matches("details")) around.open = true;
}
window.addEventListener("hashchange", openTarget);
openTarget();
