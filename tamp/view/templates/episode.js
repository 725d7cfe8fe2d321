/** The last entry of a track, [step, value] in order, that is not after a step; the first one before that. */
function upTo(track, step) {
  let low = 0, high = track.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (track[middle][0] <= step) low = middle; else high = middle - 1; }
  return track.length ? track[low][1] : null;
}
/** What the 3-D view shows at a control step of a history (tamp/view/picture.py). */
function stateAt({values, things, path}, step) {
  return {
    values: upTo(values, step),
    things: things.map(({at, by}) => ({at: upTo(at, step), by: by.map((track) => upTo(track, step))})),
    path: path.map(([, p]) => p), done: path.filter(([n]) => n <= step).length,
  };
}
/** The 3-D view, where there is one and the browser can draw it. */
async function viewed() {
  if (!by("space")) return {build() {}, show() {}};
  try {
    await three();
    return space(by("space"));
  } catch {
    by("space").textContent = "This browser draws no 3-D (WebGL). The places are listed below.";
    return {build() {}, show() {}};
  }
}
/**
 * The video, the control step and the 3-D view in step with one another, and the events. Returns a function that takes
 * what there is of an episode that is over (tamp/view/episode_page.py), and takes it again where it went on after all.
 */
function inStep(picture) {
  const video = by("video"), slider = by("step");
  let episode = null, begun = [];
  function show(step, more) {
    picture.show({...stateAt(episode.history, step), ...more});
    if (!begun.length) return;
    const now = begun.filter((a) => a.first <= step && step <= a.last), numbers = now.map(({number}) => String(number));
    slider.value = step;
    by("step-now").textContent = `${step} of ${slider.max}, ${episode.period} s each`;
    by("action-now").textContent = now.map((a) => `Action ${a.number}: ${a.action}`).join("; ") || "Between actions";
    for (const bar of document.querySelectorAll(".bar")) bar.classList.toggle("now", numbers.includes(bar.dataset.number));
    for (const row of document.querySelectorAll(".actions > li")) row.classList.toggle("now", numbers.includes(row.id.slice(5)));
  }
  function go(step, more) {
    show(step, more);
    if (video) video.currentTime = Math.max(0, (step - 1) * episode.period);
  }
  slider.addEventListener("input", () => go(Number(slider.value)));
  onClick("[data-number]", (button) => {
    const action = begun.find((a) => a.number === Number(button.dataset.number));
    if (button.title) by("picked").textContent = button.title;
    if (action) go(action.first);
    if (action && button.matches(".go")) by("moving").scrollIntoView();
  });
  onClick("[data-obstacle]", (button) => {
    const {step, marks, spans} = episode.obstacles[Number(button.dataset.obstacle)];
    go(step, {marks, spans});
    by("space").scrollIntoView({block: "center"});
  });
  if (video) {
    video.addEventListener("timeupdate", () => { if (!video.paused) show(1 + Math.round(video.currentTime / episode.period)); });
    video.addEventListener("error", () => { by("video-told").append(" (cannot be played here)"); });
  }
  return (other) => {
    episode = other;
    begun = episode.actions.filter(({first}) => first !== null);
    by("scrub").hidden = !begun.length;
    const first = Math.min(...begun.map((a) => a.first)), last = Math.max(...begun.map((a) => a.last));
    if (begun.length) Object.assign(slider, {min: first, max: last});
    const {step, marks, spans} = episode.failing ? episode.obstacles[episode.obstacles.length - 1] : {step: begun.length ? first : 0};
    show(step, {marks, spans});
    searchable(episode.events.map(([number, kind, t, text]) => ({kind, text: `${kind} ${text}`, cells() {
      const holds = element("td");
      holds.append(element("code", text));
      return [element("td", number, {class: "num", "data-name": "line"}), element("td", `${t.toFixed(2)}\u00a0s`, {class: "num"}), element("td", kind), holds];
    }})));
  };
}
async function opened() {
  const picture = await viewed();
  picture.build(data.scene);
  inStep(picture)(data);
}
if (data.scene) opened();
