/** A run as it goes on: parts that have changed come from the server, and each is shown in its place. */
function live() {
  const by = (id) => document.getElementById(id), served = document.title;
  const known = {paths: {}, clock: 0, told: 0, on: false, over: false, done: "", pictures: false};
  const picture = space(by("space"), {now: true, paths: [], things: [], robots: []});
  const signs = {
    done: ["✓", "good"], success: ["✓", "good"], failed: ["✗", "bad"], no: ["✗", "bad"], error: ["✗", "bad"], stopped: ["■", "warn"],
    unfinished: ["…", "warn"], interrupted: ["■", "warn"], planned: ["·", "plain"], moving: ["▶", "now"], acting: ["▶", "now"], running: ["▶", "now"],
    reporting: ["▶", "now"], silent: ["…", "warn"],
  };
  const words = {no: "no success", interrupted: "no verdict"};

  function sign(how) {
    const [mark, kind] = signs[how] || ["·", "plain"], made = element("span", null, {class: `state ${kind}`});
    made.append(element("span", mark, {"aria-hidden": "true"}), ` ${words[how] || how}`);
    return made;
  }
  /** A list's entries anew; told apart by what they say, so that nothing is touched that is as before. */
  function fill(list, items, make) {
    const keys = items.map((item) => JSON.stringify(item));
    const there = new Map([...list.children].map((child) => [child.dataset.key, child]));
    const children = items.map((item, n) => {
      const kept = there.get(keys[n]);
      there.delete(keys[n]);
      if (kept) return kept;
      const made = make(item);
      made.dataset.key = keys[n];
      return made;
    });
    if (children.length !== list.children.length || children.some((child, n) => list.children[n] !== child)) list.replaceChildren(...children);
  }
  /** Of a run that is over the line on orders says that there are no pictures, too; nothing else of either is shown. */
  function fold() {
    if (!by("orders-head")) return;  // the page of an arm has neither
    by("orders-head").hidden = known.over;
    by("cameras").hidden = known.over && !known.pictures;
  }
  /** Of a run that is over, how it ended stands where else is what is being done. */
  function ended() {
    if (!by("ended")) return;
    say(by("now-head"), known.over ? "How it ended" : "Now");
    by("ended").hidden = !known.over;
    by("running").hidden = known.over;
    say(by("ended-told"), `It took ${known.clock.toFixed(1)}\u00a0s. ${known.done || "No action was done."}`);
    if (known.over && known.done) say(by("plan-told"), known.done);
  }
  function say(place, text) {
    if (place.textContent !== text) place.textContent = text;
  }
  const actions = (n) => `${n} action${n === 1 ? "" : "s"}`;
  const code = (text) => element("code", text);
  /** A link to the part of the page that tells a reason. */
  const rest = (id) => element("a", id === "verdict" ? "the reason is told at the top" : `the reason is told at action ${id.slice(5)}`, {href: `#${id}`});
  /** An element with text that may break after what joins its words, and within no option. */
  function breaking(name, text, attributes) {
    const made = element(name, null, attributes);
    for (const part of text.split(/(?<=[_/])|(--goal)/)) if (part) made.append(...(part === "--goal" ? [element("span", part, {class: "whole"})] : /[_/]$/.test(part) ? [part, element("wbr")] : [part]));
    return made;
  }
  function entry(...parts) {
    const made = element("li");
    made.append(...parts);
    return made;
  }

  /** The parts of a thing, each where it is. */
  function partsOf({name, parts}) {
    const solids = (known.solidsOf || {})[name] || [];
    return parts.map((part, n) => ({...part, solids: solids[n] || []}));
  }
  const show = {
    run() { known.paths = {}; },
    name(name) { say(by("run"), name); },
    report(command) { say(by("report"), command); },
    head(head) {
      say(by("title"), head.title);
      document.title = `${head.title} - ${served}`;
      by("state").replaceWith(Object.assign(sign(head.state), {id: "state"}));
      say(by("verdict"), head.verdict);
      known.on = head.state === "running";
      known.over = !known.on && head.state !== "waiting";
      fold();
      ended();
      fill(by("notes"), head.notes, (note) => element("p", note, {class: "note", role: "note"}));
      if (by("goal")) by("goal").replaceChildren(...(head.goal.length ? ["Goal: ", ...head.goal.flatMap((g, n) => (n ? [" then ", code(g)] : [code(g)]))] : []),
        ...(head.goal.length && head.origin ? [breaking("span", `, from ${head.origin}`, {class: "by"})] : []),
        ...(head.untouched.length ? ["; left alone: ", code(head.untouched.join(" "))] : []));
      fill(by("about"), head.about, ([name, value]) => {
        const made = element("div");
        made.append(element("dt", name), breaking("dd", value));
        return made;
      });
    },
    now(now) {
      known.busy = now.running.flatMap((r) => r.name.match(/[\w-]+/g) || []);
      known.clock = now.t;
      known.told = performance.now();
      const list = by("running");
      fill(list, now.running, (r) => {
        const seconds = element("span", "", {class: "by seconds"});
        seconds.dataset.began = r.began;
        return entry(code(r.name), " ", sign(r.stage), " ", seconds, r.why ? element("span", ` ${r.why}`, {class: "by"}) : "");
      });
      if (!now.running.length) list.replaceChildren(entry(element("span", known.on ? "Nothing is being done: it thinks, or waits." : "Nothing is being done.", {class: "by"})));
      ended();
      say(by("now"), now.running.map((r) => `${r.name} ${r.stage}`).join("; "));
      tick();
    },
    plan(plan) {
      const rows = plan.rows.map((row, n) => ({...row, number: n + 1 + plan.left_out}));
      fill(by("plan"), rows, (row) => {
        const made = entry(element("span", row.number, {class: "number"}), " ", code(row.arm ? `${row.arm}: ${row.action}` : row.action), " ", sign(row.how));
        made.id = `plan-${row.number}`;
        if (row.seconds !== null && row.seconds !== undefined) made.append(element("span", ` ${row.seconds.toFixed(1)}\u00a0s`, {class: "by"}));
        if (row.why) made.append(element("p", row.why, {class: "bad"}));
        if (row.rest) made.append(" ", rest(row.rest));
        if (row.how === "moving" || row.how === "acting") { made.className = "now"; made.setAttribute("aria-current", "step"); }
        return made;
      });
      const left = rows.filter((row) => row.how === "planned").length, done = rows.filter((row) => row.how === "done").length;
      const more = plan.left_out ? `; the first ${plan.left_out} are not listed` : "";
      known.done = rows.length ? `${done} of ${actions(rows.length)} ${done === 1 ? "was" : "were"} done${more}.` : "";
      say(by("plan-told"), rows.length ? `${left} of ${actions(rows.length + plan.left_out)} ${left === 1 ? "is" : "are"} still to come${more}.` :
        plan.searched ? `No plan: ${plan.searched}.` : "No plan yet.");
      ended();
    },
    facts(facts) {
      fill(by("changes"), facts.changes, ([t, fact, holds]) => entry(element("span", holds ? "+" : "−", {class: "mark", "aria-hidden": "true"}),
        element("span", holds ? "begins to hold: " : "holds no more: ", {class: "hidden"}), code(fact), element("span", ` ${t.toFixed(1)}\u00a0s`, {class: "by"})));
      if (!facts.changes.length) by("changes").replaceChildren(entry(element("span", "nothing yet", {class: "by"})));
      say(by("holds-told"), facts.seen ? `What holds: ${facts.holds.length} fact${facts.holds.length === 1 ? "" : "s"}` : "What holds: nobody has looked yet");
      fill(by("holds"), facts.holds, (fact) => entry(code(fact)));
    },
    parts(parts) { known.solidsOf = parts; },
    things(told) {
      const things = told.map((t) => ({...t, parts: partsOf(t)}));
      known.things = things;
      picture.show({things});
      fill(by("places"), told, (t) => {
        const row = element("tr"), name = element("th", null, {scope: "row"}), far = Math.hypot(...t.first.map((x, k) => x - t.last[k]));
        name.append(code(t.name));
        row.append(name, element("td", t.category), element("td", t.last.map((x) => x.toFixed(3)).join(" "), {class: "num"}),
          element("td", data.still ? t.note : t.held ? "in the hand" : far > 0.005 ? `${(100 * far).toFixed(1)} cm` : "no"));
        return row;
      });
      fill(by("part-states"), told.flatMap((t) => t.parts.filter((part) => part.state)), ({name, kind, state}) => entry(code(name), `, a ${kind}: ${state}`));
      say(by("places-told"), things.length ? `${things.length} things, metres in the ${data.frame || "world"} frame: ${data.still ? "○ where they are" : "○ at first, ■ where they are now"}. Drag, or use the arrow keys, to turn.` : "No places are known yet.");
    },
    solids(solids) { known.solids = solids; },
    frames(frames) {
      picture.show({robots: frames.map((f, n) => ({solids: known.solids[n], frames: f})).filter((r) => r.frames && r.solids)});
    },
    path(path) {
      for (const [arm, [anew, points]] of Object.entries(path)) {
        const there = anew ? [] : known.paths[arm] || [];
        known.paths[arm] = [...there, ...points].slice(-4000);
      }
      picture.show({paths: Object.entries(known.paths).map(([name, points]) => ({name, steps: [], points}))});
    },
    happened(lines) {
      fill(by("happened"), [...lines].reverse(), ([t, kind, text, more]) => {
        const row = element("tr"), told = element("td", text);
        if (more) told.append(text ? ": " : "", rest(more));
        row.append(element("td", `${t.toFixed(2)}\u00a0s`, {class: "num"}), element("td", kind), told);
        return row;
      });
    },
  };
  const order = ["run", "name", "report", "head", "extent", "solids", "frames", "path", "parts", "things", "now", "plan", "facts", "happened", "orders", "pictures", "arm", "joints", "seen"];

  function tick() {
    const now = known.clock + (known.on ? (performance.now() - known.told) / 1000 : 0);
    for (const place of document.querySelectorAll("[data-began]")) say(place, `${Math.max(0, now - place.dataset.began).toFixed(1)}\u00a0s`);
  }
  setInterval(tick, 200);

  function lost(why) {
    known.on = false;
    say(by("line"), why);
    if (show.orders) show.orders({takes: false, why: "No orders can be given: the viewer is gone."});
  }
  const source = new EventSource("events");
  source.addEventListener("message", (message) => {
    const parts = JSON.parse(message.data);
    for (const name of order) if (name in parts && show[name]) show[name](parts[name]);
    say(by("line"), "");
  });
  source.addEventListener("error", () => lost("The viewer is gone: this is what it told last."));
  source.addEventListener("over", () => { source.close(); lost("The viewer has ended: this is what it told last."); });
  return {show, say, fill, known, fold, picture};
}
const shown = live();
