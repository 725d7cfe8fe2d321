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

/** Opens what a link leads to, and what that is folded in. */
function openTarget() {
  const there = location.hash.length > 1 && by(decodeURIComponent(location.hash.slice(1)));
  const closed = there && there.querySelector("details");
  if (closed) closed.open = true;
  for (let around = there; around; around = around.parentElement) if (around.matches("details")) around.open = true;
}
window.addEventListener("hashchange", openTarget);
openTarget();
