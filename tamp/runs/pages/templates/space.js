/**
 * A picture in space that is turned by keys, buttons or by hand, and told in words. Metres, z up.
 *
 * What is `shown`, all of which may be missing:
 *   robots  [{name, solids, frames}]: of each link the solids, [points, faces], and the frame that these are in, 12 numbers:
 *           3 rows of rotation and position; frames null: it is not drawn
 *   things  [{name, category, first, last, box: [low, high] or corners: 8 of them, parts, mark, note}]: `last` is where
 *           it is now, `mark` what is wrong with one that is pointed out, `note` what else is said of it; no tables, no
 *           floors; a category "keep out" is drawn as a warning, "workspace" and what ends with "old" as edges; of one
 *           with parts that move, [{name, solids, frame, state}], these are drawn instead of its box: solids and frame
 *           as of a robot's link, of polygons, and `state` a word for how it is, or null for what is on no joint
 *   paths   [{name, points, done}]: the first `done` points, or all, are behind the tool
 *   spans   [{from, to, told}]: two points, and what is said of the line between them
 *   extent  points that are in the picture; floor: the height of its grid
 * Buttons of the canvas's figure turn it by data-view, and its data-told takes the words. Returns `show`, which shows
 * other parts.
 */
function space(canvas, shown) {
  const SIDE = {turn: 1.2, tilt: 0.4, zoom: 1}, TOP = {turn: 1.5708, tilt: 1.57, zoom: 1};
  const view = {...SIDE}, pen = canvas.getContext("2d"), figure = canvas.closest("figure") || canvas.parentElement;
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const lit = [0.36, 0.64, -0.68], quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  let fit = {scale: 1, right: 0, up: 0}, due = false, scale = 1;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const list = (key) => shown[key] || [], robots = () => list("robots").filter((r) => r.frames);
  const things = () => list("things").filter((t) => !/table|floor/.test(t.category || ""));
  const placed = ([a, b, c, x, d, e, f, y, g, h, i, z], [u, v, w]) => [a * u + b * v + c * w + x, d * u + e * v + f * w + y, g * u + h * v + i * w + z];

  /** Makes room for places; there is never less of it, so that the picture does not jump. */
  function reach(places) {
    for (const p of places) for (let k = 0; k < 3; k++) { low[k] = Math.min(low[k], p[k]); high[k] = Math.max(high[k], p[k]); }
  }
  function reachAll(some) {
    if (some.extent) reach(some.extent);
    if (some.spans) reach(some.spans.flatMap((span) => [span.from, span.to]));
    if (some.paths) for (const path of some.paths) reach(path.points);
    if (some.things) reach(things().flatMap((t) => [t.first, t.last, ...((!hollow(t) && cornersOf(t)) || [])]));
    if (some.robots) for (const r of robots()) reach(r.frames.map((f) => [f[3], f[7], f[11]]));
  }
  const corner = (n) => [0, 1, 2].map((k) => (n >> k & 1 ? high : low)[k]);

  /** Where a place is seen: metres to the right, up, and away from who looks. */
  function seen([x, y, z]) {
    const deep = -Math.sin(view.turn) * x + Math.cos(view.turn) * y;
    const right = Math.cos(view.turn) * x + Math.sin(view.turn) * y;
    return [right, Math.cos(view.tilt) * z + Math.sin(view.tilt) * deep, Math.cos(view.tilt) * deep - Math.sin(view.tilt) * z];
  }
  /** Makes all of it fit, with room for names at the right. */
  function fitted() {
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
  function line(some, style, width, dashes = []) {
    if (some.length < 2) return;
    pen.strokeStyle = style; pen.lineWidth = width * scale; pen.setLineDash(dashes.map((d) => d * scale));
    trace(some.map(at));
    pen.stroke();
    pen.setLineDash([]);
  }
  function floor(style) {
    const z = shown.floor === undefined || shown.floor === null ? low[2] : shown.floor;
    for (let n = 0; n <= 4; n++) {
      const x = low[0] + (high[0] - low[0]) * n / 4, y = low[1] + (high[1] - low[1]) * n / 4;
      line([[x, low[1], z], [x, high[1], z]], style, 1);
      line([[low[0], y, z], [high[0], y, z]], style, 1);
    }
  }
  /** The faces of a solid that are turned to who looks: how far away, where, how much light falls on each. */
  function faces(points, some, told, found) {
    const p = points.map(seen);
    for (const face of some) {
      const [a, b, c] = face.map((n) => p[n]), u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]], v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      if (n[2] <= 0) continue;
      const size = Math.hypot(...n) || 1, light = Math.max(0, (-n[0] * lit[0] - n[1] * lit[1] - n[2] * lit[2]) / size);
      found.push({...told, light, away: face.reduce((sum, k) => sum + p[k][2], 0) / face.length, places: face.map((k) => p[k])});
    }
  }
  const pointsOf = ({solids, frame}) => solids.flatMap(([points]) => points.map((p) => placed(frame, p)));
  function cornersOf(t) {
    if (t.parts && t.parts.length) return t.parts.flatMap(pointsOf);
    if (t.corners || !t.box) return t.corners;
    return [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [0, 1, 2].map((k) => t.box[n >> k & 1][k]));
  }
  const hollow = (t) => /^workspace$|old$/.test(t.category || "");
  const bytes = (hex) => [1, 3, 5].map((n) => parseInt(hex.slice(n, n + 2), 16));
  function solids() {
    const found = [];
    for (const robot of robots()) {
      robot.frames.forEach((frame, n) => { for (const [points, some] of robot.solids[n]) faces(points.map((p) => placed(frame, p)), some, {}, found); });
    }
    for (const t of things()) {
      const corners = cornersOf(t), told = t.mark || t.category === "keep out" ? {fill: "--marked", edge: "--bad", wide: 2.5} : {fill: "--box", edge: "--soft", wide: 1};
      if (t.parts && t.parts.length) for (const {solids: some, frame} of t.parts) for (const [points, sides] of some) faces(points.map((p) => placed(frame, p)), sides, {...told, fill: null, tone: 1}, found);
      else if (corners && !hollow(t)) faces(corners, quads, told, found);
      else if (corners) for (const quad of quads) line([...quad, quad[0]].map((n) => corners[n]), colour("--soft"), 1.5);
    }
    const tones = [["--solid-dark", "--solid-light"], ["--part-dark", "--part-light"]].map((ends) => ends.map((name) => bytes(colour(name)))), styles = {};
    for (const name of ["--marked", "--bad", "--box", "--soft"]) styles[name] = colour(name);
    for (const {fill, edge, wide, light, places, tone} of found.sort((a, b) => b.away - a.away)) {
      trace(places.map(drawn));
      pen.closePath();
      const [dark, bright] = tones[tone || 0];
      pen.fillStyle = fill ? styles[fill] : `rgb(${dark.map((c, k) => Math.round(c + (bright[k] - c) * light)).join(",")})`;
      pen.strokeStyle = edge ? styles[edge] : pen.fillStyle;
      pen.lineWidth = (wide || 1) * scale;
      pen.fill();
      pen.stroke();
    }
  }
  const moved = (t) => Math.hypot(...t.first.map((x, k) => x - t.last[k])) > 0.005;
  /** Marks where a thing is. Returns its label. */
  function named(t) {
    if (t.category === "workspace" && t.corners) return {text: t.name, at: at(t.corners[5])};
    const [u, v] = at(t.first), [u2, v2] = at(t.last);
    pen.strokeStyle = pen.fillStyle = colour("--ink"); pen.lineWidth = 2 * scale;
    pen.beginPath(); pen.arc(u, v, 4 * scale, 0, 7); pen.stroke();
    if (moved(t)) {
      line([t.first, t.last], colour("--ink"), 1, [4, 4]);
      pen.fillRect(u2 - 4 * scale, v2 - 4 * scale, 8 * scale, 8 * scale);
    }
    const text = t.mark ? `✗ ${t.name}: ${t.mark}` : t.note ? `${t.name}: ${t.note}` : t.name;
    return {text, at: [u2, v2], strong: Boolean(t.mark), corners: hollow(t) ? null : cornersOf(t)};
  }
  /** What labels are better not on: boxes of things, what is named, and lines that measure. */
  function covered(labels) {
    const around = (places, more) => [0, 1].map((k) => Math.min(...places.map((p) => p[k])) - more * scale).concat([0, 1].map((k) => Math.max(...places.map((p) => p[k])) + more * scale));
    const spots = labels.map(({at}) => ({box: around([at], 6), weight: 120}));
    const boxes = labels.flatMap(({corners}, of) => (corners ? [{box: around(corners.map(at), 0), weight: 40, of}] : []));
    const along = list("spans").flatMap(({from, to}) => [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({box: around([at(from.map((x, k) => x + (to[k] - x) * n / 8))], 6), weight: 15})));
    return [...spots, ...boxes, ...along];
  }
  const behind = (path) => (path.done === undefined ? path.points.length : path.done);
  function draw() {
    due = false;
    const width = canvas.clientWidth || 640;
    scale = window.devicePixelRatio || 1;
    canvas.width = width * scale; canvas.height = Math.round(width * 0.66) * scale;
    const look = {family: getComputedStyle(canvas).fontFamily, ink: colour("--ink"), strong: colour("--bad"), ground: colour("--card")};
    if (low[0] > high[0]) { writeLabels(pen, [{text: "No places are known.", at: [20 * scale, 40 * scale]}], [], scale, look); return; }
    fitted();
    floor(colour("--line"));
    solids();
    const tools = [];
    for (const path of list("paths")) {
      const done = behind(path);
      line(path.points, colour("--path"), 1.5);
      if (path.done !== undefined) line(path.points.slice(0, done), colour("--path"), 3);
      if (!done) continue;
      const [u, v] = at(path.points[done - 1]);
      pen.fillStyle = colour("--accent"); pen.beginPath(); pen.arc(u, v, 6 * scale, 0, 7); pen.fill();
      tools.push({text: path.name || "tool", at: [u, v]});
    }
    for (const span of list("spans")) line([span.from, span.to], colour("--bad"), 2.5, [6, 4]);
    const spans = list("spans").map((span) => ({text: span.told, at: at(span.from.map((x, k) => (x + span.to[k]) / 2)), strong: true}));
    const labels = [...spans, ...things().sort((a, b) => Boolean(b.mark) - Boolean(a.mark)).map(named), ...tools];
    writeLabels(pen, labels, covered(labels), scale, look);
  }
  /** What the picture shows, for who does not see it. */
  function told() {
    const place = (p) => `(${p.map((x) => x.toFixed(2)).join(", ")})`, parts = list("spans").map((span) => span.told);
    for (const t of things()) parts.push(`${t.name} at ${place(t.last)}${moved(t) ? `, at first ${place(t.first)}` : ""}${t.mark || t.note ? `, ${t.mark || t.note}` : ""}`, ...(t.parts || []).filter((p) => p.state).map((p) => `${p.name} ${p.state}`));
    for (const path of list("paths")) if (behind(path)) parts.push(`${path.name || "tool"} at ${place(path.points[behind(path) - 1])}`);
    return parts.length ? `${parts.join("; ")}. Metres, x y z.` : "Nothing is known to be there.";
  }
  function soon() {
    if (!due) { due = true; requestAnimationFrame(draw); }
  }
  function say() {
    const words = figure.querySelector("[data-told]");
    if (words) words.textContent = told();
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
  for (const button of figure.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => {
      if (keys[button.dataset.view]) { turned(...keys[button.dataset.view].map((x, k) => (k < 2 ? 3 * x : x))); return; }
      Object.assign(view, button.dataset.view === "top" ? TOP : SIDE);
      soon();
    });
  }
  window.addEventListener("resize", soon);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", soon);
  reachAll(shown);
  say();
  draw();
  return {show(parts) { Object.assign(shown, parts); reachAll(parts); say(); soon(); }};
}
