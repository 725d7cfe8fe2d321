/** The bars of the timeline by keys: Tab comes to each lane once, arrows go from bar to bar and from lane to lane. */
function lanesByKeys() {
  const lanes = [...document.querySelectorAll(".lane")].map((lane) => [...lane.querySelectorAll(".bar")]).filter((bars) => bars.length);
  const middle = (bar) => bar.offsetLeft + bar.offsetWidth / 2;
  const near = (bars, bar) => bars.reduce((best, other) => (Math.abs(middle(other) - middle(bar)) < Math.abs(middle(best) - middle(bar)) ? other : best));
  lanes.forEach((bars, n) => {
    bars.forEach((bar, k) => {
      bar.tabIndex = k ? -1 : 0;
      bar.addEventListener("focus", () => bars.forEach((other) => { other.tabIndex = other === bar ? 0 : -1; }));
      bar.addEventListener("keydown", (e) => {
        const there = {ArrowLeft: bars[k - 1], ArrowRight: bars[k + 1], Home: bars[0], End: bars[bars.length - 1],
          ArrowUp: lanes[n - 1] && near(lanes[n - 1], bar), ArrowDown: lanes[n + 1] && near(lanes[n + 1], bar)};
        if (!(e.key in there)) return;
        e.preventDefault();
        if (there[e.key]) there[e.key].focus();
      });
    });
  });
}
lanesByKeys();
