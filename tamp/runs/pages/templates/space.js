/** A picture in space that is turned by hand: paths of tools, things as boxes, links of robots as filled solids.
 *
 * `shown` has `path` {steps, points}, `things` {name, category, first, last, box or corners}, and of `robots` the `solids`
 * of each link, [points, faces], with the `frames` that these are in, 12 numbers each: 3 rows of rotation and position.
 * Returns `mark`, which marks a control step of the path, and `show`, which shows other parts. */
function space(canvas, shown) {
  const view = {turn: 1.2, tilt: 0.45, zoom: 1}, pen = canvas.getContext("2d"), none = {steps: [], points: []};
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const lit = [0.36, 0.64, -0.68], quads = [[0, 2, 6, 4], [1, 5, 7, 3], [0, 1, 5, 4], [2, 6, 7, 3], [0, 1, 3, 2], [4, 5, 7, 6]];
  let marked = 0, fit = {scale: 1, right: 0, up: 0}, due = false;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const things = () => (shown.things || []).filter((t) => !/table|floor/.test(t.category));
  const paths = () => shown.paths || [shown.path || none];
  const placed = ([a, b, c, x, d, e, f, y, g, h, i, z], [u, v, w]) => [a * u + b * v + c * w + x, d * u + e * v + f * w + y, g * u + h * v + i * w + z];

  /** Makes room for places; there is never less of it, so that the picture does not jump. */
  function reach(places) {
    for (const p of places) for (let k = 0; k < 3; k++) { low[k] = Math.min(low[k], p[k]); high[k] = Math.max(high[k], p[k]); }
  }
  function reachAll(some) {
    if (some.path || some.paths) for (const path of paths()) reach(path.points);
    if (some.things) reach(things().flatMap((t) => [t.first, t.last]));
    if (some.robots) for (const r of some.robots) reach(r.frames.map((f) => [f[3], f[7], f[11]]));
  }
  const corner = (n) => [0, 1, 2].map((k) => (n >> k & 1 ? high : low)[k]);

  /** Where a place is seen: metres to the right, up, and away from who looks. */
  function seen([x, y, z]) {
    const deep = -Math.sin(view.turn) * x + Math.cos(view.turn) * y;
    const right = Math.cos(view.turn) * x + Math.sin(view.turn) * y;
    return [right, Math.cos(view.tilt) * z + Math.sin(view.tilt) * deep, Math.cos(view.tilt) * deep - Math.sin(view.tilt) * z];
  }
  /** Makes all of it fit, with room for names at the right. */
  function fitted(scale) {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => seen(corner(n)));
    const across = corners.map((p) => p[0]), along = corners.map((p) => p[1]);
    const [left, right, below, above] = [Math.min(...across), Math.max(...across), Math.min(...along), Math.max(...along)];
    const wide = (canvas.width - 120 * scale) / Math.max(0.1, right - left), tall = (canvas.height - 40 * scale) / Math.max(0.1, above - below);
    fit = {scale: view.zoom * Math.min(wide, tall), right: (left + right) / 2, up: (below + above) / 2};
  }
  const drawn = ([right, up]) => [canvas.width * 0.46 + fit.scale * (right - fit.right), canvas.height / 2 - fit.scale * (up - fit.up)];
  const at = (p) => drawn(seen(p));
  function trace(some) {
    pen.beginPath();
    some.forEach(([u, v], n) => { if (n) pen.lineTo(u, v); else pen.moveTo(u, v); });
  }
  function line(some, style, width) {
    if (some.length < 2) return;
    pen.strokeStyle = style; pen.lineWidth = width;
    trace(some.map(at));
    pen.stroke();
  }
  function floor(style) {
    const z = low[2];
    for (let n = 0; n <= 4; n++) {
      const x = low[0] + (high[0] - low[0]) * n / 4, y = low[1] + (high[1] - low[1]) * n / 4;
      line([[x, low[1], z], [x, high[1], z]], style, 1);
      line([[low[0], y, z], [high[0], y, z]], style, 1);
    }
  }
  /** The faces of a solid that are turned to who looks, with how much light falls on each. */
  function faces(points, triples, found) {
    const p = points.map(seen);
    for (const [i, j, k] of triples) {
      const a = p[i], b = p[j], c = p[k], u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]], v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      if (n[2] <= 0) continue;
      const away = -n[2], size = Math.hypot(...n) || 1;
      const light = Math.max(0, (n[0] * lit[0] + n[1] * lit[1] + away * lit[2]) / size);
      found.push([(a[2] + b[2] + c[2]) / 3, [a, b, c], light]);
    }
  }
  function boxed(t) {
    if (t.corners) return t.corners;
    if (!t.box) return null;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [0, 1, 2].map((k) => (n >> k & 1 ? t.box[1] : t.box[0])[k]));
  }
  const bytes = (hex) => [1, 3, 5].map((n) => parseInt(hex.slice(n, n + 2), 16));
  function solids() {
    const found = [];
    for (const robot of shown.robots || []) {
      robot.frames.forEach((frame, n) => { for (const [points, triples] of robot.solids[n]) faces(points.map((p) => placed(frame, p)), triples, found); });
    }
    for (const t of things()) {
      const corners = boxed(t);
      if (!corners) continue;
      const p = corners.map(seen);
      for (const quad of quads) found.push([quad.reduce((sum, n) => sum + p[n][2], 0) / 4, quad.map((n) => p[n]), null]);
    }
    const dark = bytes(colour("--solid-dark")), light = bytes(colour("--solid-light")), soft = colour("--soft"), box = colour("--box");
    pen.lineWidth = 1;
    for (const [, places, lightness] of found.sort((a, b) => b[0] - a[0])) {
      trace(places.map(drawn));
      pen.closePath();
      const style = lightness === null ? box : `rgb(${dark.map((c, k) => Math.round(c + (light[k] - c) * lightness)).join(",")})`;
      pen.fillStyle = style; pen.strokeStyle = lightness === null ? soft : style;
      pen.fill();
      pen.stroke();
    }
  }
  function named(t, taken, style, scale) {
    const [u, v] = at(t.first), [u2, v2] = at(t.last), moved = Math.hypot(...t.first.map((x, k) => x - t.last[k])) > 0.005;
    pen.strokeStyle = pen.fillStyle = style; pen.lineWidth = 2;
    pen.beginPath(); pen.arc(u, v, 5, 0, 7); pen.stroke();
    if (moved) {
      pen.setLineDash([4, 4]); line([t.first, t.last], style, 1); pen.setLineDash([]);
      pen.fillRect(u2 - 5, v2 - 5, 10, 10);
    }
    const [x, y] = shown.now ? [u2, v2] : [u, v];
    let below = y + 4;
    while (taken.some((p) => Math.abs(p[1] - below) < 14 * scale && Math.abs(p[0] - x) < 130 * scale)) below += 14 * scale;
    taken.push([x, below]);
    pen.fillText(t.name, Math.min(x + 9, canvas.width - pen.measureText(t.name).width - 2), below);
  }
  function draw() {
    due = false;
    const style = getComputedStyle(canvas), scale = window.devicePixelRatio || 1, width = canvas.clientWidth || 640;
    canvas.width = width * scale; canvas.height = Math.round(width * 0.66) * scale;
    pen.font = `${13 * scale}px ${style.fontFamily}`;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const ink = colour("--ink"), accent = colour("--accent");
    if (low[0] > high[0]) { pen.fillStyle = ink; pen.fillText("The log has no places.", 20, 40); return; }
    fitted(scale);
    floor(colour("--line"));
    solids();
    const taken = [];
    for (const {name, steps, points} of paths()) {
      const until = shown.now ? -1 : steps.findIndex((s) => s > marked), done = until < 0 ? points.length : until;
      line(points, colour("--path"), 1.5 * scale);
      if (!shown.now) line(points.slice(0, done), colour("--path"), 3.5 * scale);
      if (!done) continue;
      const [u, v] = at(points[done - 1]);
      pen.fillStyle = accent; pen.beginPath(); pen.arc(u, v, 7 * scale, 0, 7); pen.fill();
      pen.fillStyle = ink; pen.fillText(name || "tool", u + 10, v - 8);
      taken.push([u + 10, v - 8]);
    }
    things().forEach((t) => named(t, taken, ink, scale));
  }
  function soon() {
    if (!due) { due = true; requestAnimationFrame(draw); }
  }
  function turned(turn, tilt, zoom) {
    view.turn += turn;
    view.tilt = Math.max(-1.57, Math.min(1.57, view.tilt + tilt));
    view.zoom = Math.max(0.3, Math.min(8, view.zoom * zoom));
    soon();
  }
  const keys = {ArrowLeft: [-0.1, 0, 1], ArrowRight: [0.1, 0, 1], ArrowUp: [0, 0.1, 1], ArrowDown: [0, -0.1, 1], "+": [0, 0, 1.2], "-": [0, 0, 1 / 1.2]};
  canvas.addEventListener("keydown", (e) => { if (keys[e.key]) { e.preventDefault(); turned(...keys[e.key]); } });
  canvas.addEventListener("pointerdown", (e) => canvas.setPointerCapture(e.pointerId));
  canvas.addEventListener("pointermove", (e) => { if (e.buttons) turned(-e.movementX * 0.01, e.movementY * 0.01, 1); });
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => {
      if (keys[button.dataset.view]) { turned(...keys[button.dataset.view]); return; }
      Object.assign(view, button.dataset.view === "top" ? {turn: 1.5708, tilt: 1.57} : {turn: 1.2, tilt: 0.45});
      view.zoom = 1;
      soon();
    });
  }
  window.addEventListener("resize", soon);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", soon);
  reachAll(shown);
  draw();
  return {
    mark(step) { marked = step; draw(); },
    show(parts) { Object.assign(shown, parts); reachAll(parts); soon(); },
  };
}
