/** The tool's path and the things in space, turned by hand. Returns a function that marks a control step. */
function space(canvas) {
  const points = data.path.points, steps = data.path.steps, things = data.things.filter((t) => !/table|floor/.test(t.category));
  const all = [...points, ...things.flatMap((t) => [t.first, t.last])];
  const view = {turn: 1.2, tilt: 0.45, zoom: 1}, pen = canvas.getContext("2d");
  let marked = 0;
  const low = [0, 1, 2].map((k) => Math.min(...all.map((p) => p[k]))), high = [0, 1, 2].map((k) => Math.max(...all.map((p) => p[k])));
  let fit = {scale: 1, right: 0, up: 0};
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  /** Where a place is seen, metres to the right and up. */
  function seen([x, y, z]) {
    const deep = -Math.sin(view.turn) * x + Math.cos(view.turn) * y;
    return [Math.cos(view.turn) * x + Math.sin(view.turn) * y, Math.cos(view.tilt) * z + Math.sin(view.tilt) * deep];
  }
  /** Makes all of it fit, with room for names at the right. */
  function fitted(scale) {
    const across = all.map((p) => seen(p)[0]), along = all.map((p) => seen(p)[1]);
    const [left, right, below, above] = [Math.min(...across), Math.max(...across), Math.min(...along), Math.max(...along)];
    const wide = (canvas.width - 160 * scale) / Math.max(0.1, right - left), tall = (canvas.height - 70 * scale) / Math.max(0.1, above - below);
    fit = {scale: view.zoom * Math.min(wide, tall), right: (left + right) / 2, up: (below + above) / 2};
  }
  function at(p) {
    const [right, up] = seen(p);
    return [canvas.width * 0.44 + fit.scale * (right - fit.right), canvas.height / 2 - fit.scale * (up - fit.up)];
  }
  function line(some, style, width) {
    if (some.length < 2) return;
    pen.strokeStyle = style; pen.lineWidth = width; pen.beginPath();
    some.forEach((p, n) => { const [u, v] = at(p); if (n) pen.lineTo(u, v); else pen.moveTo(u, v); });
    pen.stroke();
  }
  function floor() {
    const z = low[2];
    for (let n = 0; n <= 4; n++) {
      const x = low[0] + (high[0] - low[0]) * n / 4, y = low[1] + (high[1] - low[1]) * n / 4;
      line([[x, low[1], z], [x, high[1], z]], colour("--line"), 1);
      line([[low[0], y, z], [high[0], y, z]], colour("--line"), 1);
    }
  }
  function box([a, b]) {
    const corner = (n) => [0, 1, 2].map((k) => (n >> k & 1 ? b : a)[k]);
    for (let n = 0; n < 8; n++) for (let k = 0; k < 3; k++) if (!(n >> k & 1)) line([corner(n), corner(n | 1 << k)], colour("--soft"), 1);
  }
  function thing(t, taken) {
    const [u, v] = at(t.first), [u2, v2] = at(t.last), moved = Math.hypot(...t.first.map((x, k) => x - t.last[k])) > 0.005;
    if (t.box) box(t.box);
    pen.strokeStyle = pen.fillStyle = colour("--ink"); pen.lineWidth = 2;
    pen.beginPath(); pen.arc(u, v, 5, 0, 7); pen.stroke();
    if (moved) {
      pen.setLineDash([4, 4]); line([t.first, t.last], colour("--ink"), 1); pen.setLineDash([]);
      pen.fillRect(u2 - 5, v2 - 5, 10, 10);
    }
    let below = v + 4;
    while (taken.some((y) => Math.abs(y[1] - below) < 14 && Math.abs(y[0] - u) < 130)) below += 14;
    taken.push([u, below]);
    pen.fillText(t.name, u + 9, below);
  }
  function draw() {
    const style = getComputedStyle(canvas), scale = window.devicePixelRatio || 1, width = canvas.clientWidth || 640;
    canvas.width = width * scale; canvas.height = Math.round(width * 0.66) * scale;
    pen.font = `${13 * scale}px ${style.fontFamily}`;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (!all.length) { pen.fillStyle = colour("--ink"); pen.fillText("The log has no places.", 20, 40); return; }
    fitted(scale);
    floor();
    line(points, colour("--path"), 1.5 * scale);
    const until = steps.findIndex((s) => s > marked), done = until < 0 ? points.length : until;
    line(points.slice(0, done), colour("--path"), 3.5 * scale);
    const taken = [];
    things.forEach((t) => thing(t, taken));
    if (done) {
      const [u, v] = at(points[done - 1]);
      pen.fillStyle = colour("--accent"); pen.beginPath(); pen.arc(u, v, 7 * scale, 0, 7); pen.fill();
      pen.fillStyle = colour("--ink"); pen.fillText("tool", u + 10, v - 8);
    }
  }
  function turned(turn, tilt, zoom) {
    view.turn += turn;
    view.tilt = Math.max(-1.57, Math.min(1.57, view.tilt + tilt));
    view.zoom = Math.max(0.3, Math.min(8, view.zoom * zoom));
    draw();
  }
  const keys = {ArrowLeft: [-0.1, 0, 1], ArrowRight: [0.1, 0, 1], ArrowUp: [0, 0.1, 1], ArrowDown: [0, -0.1, 1], "+": [0, 0, 1.2], "-": [0, 0, 1 / 1.2]};
  canvas.addEventListener("keydown", (e) => { if (keys[e.key]) { e.preventDefault(); turned(...keys[e.key]); } });
  canvas.addEventListener("pointerdown", (e) => canvas.setPointerCapture(e.pointerId));
  canvas.addEventListener("pointermove", (e) => { if (e.buttons) turned(-e.movementX * 0.01, e.movementY * 0.01, 1); });
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => {
      Object.assign(view, button.dataset.view === "top" ? {turn: 1.5708, tilt: 1.57} : {turn: 1.2, tilt: 0.45});
      view.zoom = 1;
      draw();
    });
  }
  window.addEventListener("resize", draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  return (step) => { marked = step; draw(); };
}
