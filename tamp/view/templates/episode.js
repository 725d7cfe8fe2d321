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
 * The video, the control step and the 3-D view in step with one another. Returns a function that takes what there is of
 * an episode that is over (tamp/view/episode_page.py), and takes it again where it went on after all.
 */
function inStep(picture) {
  const video = by("video"), slider = by("step");
  let episode = null;
  function show(step, marks) {
    picture.show({...stateAt(episode.history, step), marks});
    const now = episode.actions.filter((a) => a.first !== null && a.first <= step && step <= a.last), rows = now.map(({number}) => `step-${number}`);
    slider.value = step;
    by("step-now").textContent = `${step} of ${slider.max}, ${episode.period} s each`;
    by("action-now").textContent = now.map((a) => `Action ${a.number}: ${a.action}`).join("; ") || "Between actions";
    for (const row of document.querySelectorAll(".actions > li")) row.classList.toggle("now", rows.includes(row.id));
  }
  function go(step, marks) {
    show(step, marks);
    if (video) video.currentTime = Math.max(0, (step - 1) * episode.period);
  }
  slider.addEventListener("input", () => go(Number(slider.value)));
  onClick("[data-step]", ({dataset: {step}}) => { go(Number(step)); by("moving").scrollIntoView(); });
  onClick("[data-failure]", ({dataset: {failure}}) => {
    const {step, marks} = episode.failures[Number(failure)];
    go(step, marks);
    by("space").scrollIntoView({block: "center"});
  });
  if (video) {
    video.addEventListener("timeupdate", () => { if (!video.paused) show(1 + Math.round(video.currentTime / episode.period)); });
    video.addEventListener("error", () => { by("video-told").append(" (cannot be played here)"); });
  }
  return (other) => {
    episode = other;
    const begun = episode.actions.filter(({first}) => first !== null);
    by("scrub").hidden = !begun.length;
    const first = Math.min(...begun.map((a) => a.first)), last = Math.max(...begun.map((a) => a.last));
    if (begun.length) Object.assign(slider, {min: first, max: last});
    const {step, marks} = episode.failing === null ? {step: begun.length ? first : 0} : episode.failures[episode.failing];
    show(step, marks);
  };
}
async function opened() {
  const picture = await viewed();
  picture.build(data.scene);
  inStep(picture)(data);
}
if (data.scene) opened();
