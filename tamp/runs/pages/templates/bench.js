/** The episodes of a run, as many as are looked for. */
function episodes() {
  const find = document.getElementById("find"), which = document.getElementById("which"), how = document.getElementById("how");
  data.runs.forEach((run, n) => which.append(element("option", run.name, {value: n})));
  const chosen = () => data.runs[Number(which.value)];
  let reason = null;

  function row([task, state, wording, ok, why, steps, planning, wall, leads]) {
    const run = chosen(), name = `${run.tasks[task]} init ${state}${wording ? ` wording ${wording}` : ""}`, made = element("tr");
    const head = element("th", null, {scope: "row"});
    head.append(leads ? element("a", name, {href: leads}) : document.createTextNode(name));
    const verdict = element("td");
    verdict.append(element("span", ok ? "✓ success" : "✗ failed", {class: `state ${ok ? "good" : "bad"}`}));
    const numbers = [[steps, "steps"], [`${planning}\u00a0s`, "planning"], [`${wall}\u00a0s`, "in all"]];
    made.append(head, verdict, ...numbers.map(([told, name]) => element("td", told, {class: "num", "data-name": name})));
    made.append(element("td", why < 0 ? "" : run.reasons[why].join(": ")));
    return made;
  }
  const show = listing(document.getElementById("lines"), document.getElementById("more"), row, 100);

  function search() {
    const run = chosen(), words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const texts = run.reasons.map((r) => r.join(": ").toLowerCase()), tasks = run.tasks.map((t) => t.toLowerCase());
    const only = reason && run.reasons.findIndex(([stage, why]) => stage === reason[0] && why === reason[1]);
    const found = run.episodes.filter((e) => (reason === null || e[4] === only) && (how.value === "" || e[3] === Number(how.value)) &&
      words.every((w) => tasks[e[0]] === w || (!tasks.includes(w) && (tasks[e[0]].includes(w) || (e[4] >= 0 && texts[e[4]].includes(w))))));
    document.getElementById("found").textContent = `${found.length} of ${run.episodes.length} episodes${reason ? `, ${reason.join(": ")}` : ""}`;
    show(found);
  }
  function jump() {
    search();
    document.getElementById("episodes").scrollIntoView();
    document.getElementById("episodes").focus({preventScroll: true});
  }
  for (const button of document.querySelectorAll("[data-find]")) {
    button.addEventListener("click", () => { find.value = button.dataset.find; how.value = ""; reason = null; jump(); });
  }
  for (const button of document.querySelectorAll("[data-reason]")) {
    button.addEventListener("click", () => {
      which.value = button.dataset.run; find.value = ""; how.value = "";
      reason = [button.dataset.stage, button.dataset.reason];
      jump();
    });
  }
  for (const input of [find, which, how]) input.addEventListener("input", () => { reason = null; search(); });
  search();
}
episodes();
