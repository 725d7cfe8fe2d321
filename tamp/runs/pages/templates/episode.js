/** The timeline, the video, the control step and the picture in step with one another. */
function inStep() {
  const video = document.getElementById("video"), slider = document.getElementById("step");
  const canvas = document.getElementById("space"), picture = canvas ? space(canvas, {path: data.path, things: data.things}) : {mark() {}}, picked = document.getElementById("picked");
  const of = (step) => data.deeds.find((d) => d.first !== null && d.first <= step && step <= d.last);
  let now = 0;

  function show(step) {
    const deed = of(step);
    picture.mark(step);
    if (slider) {
      slider.value = step;
      document.getElementById("step-told").textContent = step;
      const told = deed ? `Action ${deed.number}: ${deed.action}` : "Between actions";
      const line = document.getElementById("now");
      if (line.textContent !== told) line.textContent = told;
    }
    const number = deed ? deed.number : 0;
    if (number === now) return;
    now = number;
    for (const marked of document.querySelectorAll(".now")) { marked.classList.remove("now"); marked.removeAttribute("aria-current"); }
    if (!deed) return;
    for (const bar of document.querySelectorAll(`.bar[data-deed="${number}"]`)) { bar.classList.add("now"); bar.setAttribute("aria-current", "true"); }
    const entry = document.getElementById(`step-${number}`);
    if (entry) entry.classList.add("now");
  }
  function go(step) {
    show(step);
    if (video) video.currentTime = Math.max(0, (step - 1) * data.period);
  }
  for (const button of document.querySelectorAll("[data-deed]")) {
    button.addEventListener("click", () => {
      const deed = data.deeds[Number(button.dataset.deed) - 1];
      if (picked && button.title) picked.textContent = button.title;
      if (deed && deed.first !== null) go(deed.first);
      if (deed && button.classList.contains("go")) (video || canvas || button).scrollIntoView({block: "center"});
    });
  }
  if (slider) slider.addEventListener("input", () => go(Number(slider.value)));
  if (video) {
    video.addEventListener("timeupdate", () => { if (!video.paused) show(1 + Math.round(video.currentTime / data.period)); });
    video.addEventListener("error", () => { document.getElementById("video-told").append(" (cannot be played here)"); });
  }
  if (slider) show(Number(slider.min));
}
inStep();
