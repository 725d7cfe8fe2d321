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
