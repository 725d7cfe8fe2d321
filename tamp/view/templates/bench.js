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

/** The episodes of all runs, as many as are looked for. */
const search = searchable(data.runs.flatMap(({name, tasks, reasons, episodes}) =>
  episodes.map(([task, state, wording, why, steps, planning, wall, leads]) => {
    const called = `${tasks[task]} init ${state}${wording ? ` wording ${wording}` : ""}`, reason = why < 0 ? "" : reasons[why];
    return {kind: `${why < 0 ? "succeeded" : "failed"}${data.runs.length > 1 ? ` in ${name}` : ""}`, text: `${called} ${reason}`, cells() {
      const head = element("th", null, {scope: "row"}), verdict = element("td");
      head.append(leads ? element("a", called, {href: leads}) : called);
      verdict.append(element("span", why < 0 ? "✓ success" : "✗ failed", {class: `state ${why < 0 ? "good" : "bad"}`}));
      const numbers = [[steps, "steps"], [`${planning}\u00a0s`, "planning"], [`${wall}\u00a0s`, "in all"]];
      return [head, verdict, ...numbers.map(([value, of]) => element("td", value, {class: "num", "data-name": of})), element("td", reason)];
    }};
  })));
onClick("[data-find]", ({dataset: {find}}) => {
  search(`"${find.replaceAll("\"", " ")}"`, "");
  by("episodes").focus();
});
