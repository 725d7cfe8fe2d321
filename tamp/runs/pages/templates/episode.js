/** The last of the steps, in order, that is not after a step; the first one before that. */
function upTo(steps, step) {
  let low = 0, high = steps.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (steps[middle] <= step) low = middle; else high = middle - 1; }
  return low;
}
/** A part of a thing at a place, as it is at a control step. */
function partAt({name, at, joint, moves, solids}, [x, y, z], step) {
  const [, by, state] = joint ? moves[upTo(moves.map(([from]) => from), step)] : [0, 0, null];
  return {name, solids, state, frame: times([1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z], joint ? times(at, jointed(joint, by)) : at)};
}
const said = (mark) => (mark ? {[mark[1] ? "mark" : "note"]: mark[0]} : {});
/** What the picture shows at a control step (space.js). `marks` says of things what they are, and whether that is wrong. */
function stateAt(step, marks = {}) {
  const values = data.scene.robots.map(() => null), paths = [], things = [];
  for (const course of data.courses) {
    if (!course.steps.length) continue;
    const n = upTo(course.steps, step);
    if (course.robot !== null) values[course.robot] = course.values[n];
    if (course.points.length) paths.push({name: course.name, points: course.points, done: course.at[n]});
  }
  for (const {name, places, box, parts} of data.things) {
    const last = places[upTo(places.map(([from]) => from), step)][1];
    things.push({name, first: places[0][1], last, box: box && box.map((corner) => corner.map((x, k) => x + last[k])),
      parts: parts.map((part) => partAt(part, last, step)), ...said(marks[name])});
  }
  const robots = data.scene.robots.map(({name, links, rest}, n) => ({name, solids: links.map((link) => link.solids), frames: framesOf(links, values[n] || rest)}));
  return {robots, paths, things};
}
/** The timeline, the video, the control step and the picture in step with one another. */
function inStep() {
  const video = document.getElementById("video"), slider = document.getElementById("step"), picked = document.getElementById("picked");
  const canvas = document.getElementById("space"), picture = canvas ? space(canvas, {...data.scene, robots: []}) : {show() {}};
  const of = (step) => data.deeds.filter((d) => d.first !== null && d.first <= step && step <= d.last);
  let now = "";

  function show(step) {
    const deeds = of(step);
    picture.show({...stateAt(step), spans: []});
    if (slider) {
      slider.value = step;
      document.getElementById("step-told").textContent = step;
      const told = deeds.map((d) => `Action ${d.number}${d.arm ? ` of ${d.arm}` : ""}: ${d.action}`).join("; ") || "Between actions";
      const line = document.getElementById("now");
      if (line.textContent !== told) line.textContent = told;
    }
    const numbers = deeds.map((d) => d.number);
    if (numbers.join() === now) return;
    now = numbers.join();
    for (const marked of document.querySelectorAll(".now")) { marked.classList.remove("now"); marked.removeAttribute("aria-current"); }
    for (const number of numbers) {
      for (const bar of document.querySelectorAll(`.bar[data-deed="${number}"]`)) { bar.classList.add("now"); bar.setAttribute("aria-current", "true"); }
      const entry = document.getElementById(`step-${number}`);
      if (entry) entry.classList.add("now");
    }
  }
  function go(step) {
    show(step);
    if (video) video.currentTime = Math.max(0, (step - 1) * data.period);
  }
  for (const button of document.querySelectorAll("[data-deed]")) {
    button.addEventListener("click", () => {
      const deed = data.deeds.find((d) => d.number === Number(button.dataset.deed));
      if (picked && button.title) picked.textContent = button.title;
      if (deed && deed.first !== null) go(deed.first);
      if (deed && button.classList.contains("go")) (video || canvas || button).scrollIntoView({block: "center"});
    });
  }
  for (const button of document.querySelectorAll("[data-obstacle]")) {
    button.addEventListener("click", () => {
      const {step, marks, spans} = data.obstacles[Number(button.dataset.obstacle)];
      go(Math.max(step, slider ? Number(slider.min) : 0));
      const there = canvas || document.getElementById("space-failed");  // where nothing moved there is one picture
      (canvas ? picture : pictures.failed).show({...stateAt(step, marks), spans});
      there.scrollIntoView({block: "center"});
    });
  }
  if (slider) slider.addEventListener("input", () => go(Number(slider.value)));
  if (video) {
    video.addEventListener("timeupdate", () => { if (!video.paused) show(1 + Math.round(video.currentTime / data.period)); });
    video.addEventListener("error", () => { document.getElementById("video-told").append(" (cannot be played here)"); });
  }
  show(slider ? Number(slider.min) : 0);
}
/** Pictures that stay as they are: at first, in the end, and where it failed, which is returned. */
function stills() {
  for (const canvas of document.querySelectorAll("[data-still]")) {
    const state = stateAt(canvas.dataset.still === "first" ? 0 : data.last);
    space(canvas, {...data.scene, ...state, paths: []});
  }
  const failed = document.getElementById("space-failed");
  return failed && data.failing ? space(failed, {...data.scene, ...stateAt(data.failing.step, data.failing.marks), paths: [], spans: data.failing.spans}) : {show() {}};
}
const pictures = {failed: stills()};
inStep();
