/** Pictures of cameras, with the things drawn where they are known to be. */
function pictures({show, known, fold}) {
  const place = document.getElementById("pictures"), overlay = document.getElementById("overlay"), figures = new Map();
  const edges = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
  const nearest = 0.05, wide = 2;

  function made(name) {
    const figure = element("figure", null, {class: "shot"}), image = element("img"), canvas = element("canvas", null, {"aria-hidden": "true"});
    const frame = element("div", null, {class: "frame"}), caption = element("figcaption", `Camera ${name}`);
    frame.append(image, canvas);
    figure.append(frame, caption);
    place.append(figure);
    return {figure, image, canvas, pen: canvas.getContext("2d"), next: null};
  }
  /** Where a point of the world is in a picture, null where it is not before the camera. */
  function seen([x, y, z], {K: [fx, fy, cx, cy], T_world_camera: T}) {
    const d = [x - T[3], y - T[7], z - T[11]], [u, v, w] = [0, 1, 2].map((k) => T[k] * d[0] + T[4 + k] * d[1] + T[8 + k] * d[2]);
    return w < nearest ? null : [wide * (fx * u / w + cx), wide * (fy * v / w + cy)];
  }
  function line(pen, ends, width) {
    if (ends.includes(null)) return;
    for (const [style, more] of [["rgb(0 0 0 / .75)", 2], ["#fff", 0]]) {
      pen.strokeStyle = style; pen.lineWidth = width + more;
      pen.beginPath(); pen.moveTo(...ends[0]); pen.lineTo(...ends[1]); pen.stroke();
    }
  }
  /** The corners of the box around a part, along its own axes. */
  function boxOf({solids, frame: [a, b, c, x, d, e, f, y, g, h, i, z]}) {
    const points = solids.flatMap(([some]) => some), end = (of, k) => of(...points.map((p) => p[k]));
    return [0, 1, 2, 3, 4, 5, 6, 7].map((n) => {
      const [u, v, w] = [0, 1, 2].map((k) => end(n >> k & 1 ? Math.max : Math.min, k));
      return [a * u + b * v + c * w + x, d * u + e * v + f * w + y, g * u + h * v + i * w + z];
    });
  }
  function draw({canvas, pen}, camera) {
    const [height, width] = camera.size;
    canvas.width = wide * width; canvas.height = wide * height;
    if (!overlay.checked) return;
    const labels = [], covered = [];
    for (const t of known.things || []) {
      if (/table|floor/.test(t.category)) continue;
      const busy = (known.busy || []).some((word) => word === t.name || word.startsWith(`${t.name}_`));
      const boxes = t.parts && t.parts.length ? t.parts.map(boxOf) : t.corners ? [t.corners] : [];
      for (const box of boxes) {
        const corners = box.map((p) => seen(p, camera));
        for (const [a, b] of edges) line(pen, [corners[a], corners[b]], busy ? 3 : 1);
      }
      const at = seen(t.last, camera);
      if (!at || at[0] < 0 || at[1] < 0 || at[0] > canvas.width || at[1] > canvas.height) continue;
      labels.push({text: t.name, at, strong: busy});
      covered.push({box: [at[0] - 4, at[1] - 4, at[0] + 4, at[1] + 4], weight: 120});
    }
    const unit = canvas.width / (canvas.clientWidth || canvas.width), family = getComputedStyle(canvas).fontFamily;
    writeLabels(pen, labels, covered, unit, {family, ink: "#fff", strong: "#fff", ground: "#000"});
  }
  show.pictures = (told) => {
    const cameras = told ? told.cameras : {};
    document.getElementById("no-pictures").hidden = Boolean(told);
    document.getElementById("drawn").hidden = !told;
    known.pictures = Boolean(told);
    fold();
    for (const [name, shot] of figures) if (!(name in cameras)) { shot.figure.remove(); figures.delete(name); }
    for (const [name, camera] of Object.entries(cameras)) {
      if (!figures.has(name)) figures.set(name, made(name));
      const shot = figures.get(name), next = new Image();
      shot.camera = camera;
      shot.next = next;
      next.addEventListener("load", () => {
        if (shot.next !== next) return;
        shot.image.src = next.src;
        shot.image.alt = `What the camera ${name} sees`;
        draw(shot, camera);
      });
      next.src = `picture/${camera.file}?${told.number}`;
    }
  };
  overlay.addEventListener("change", () => { for (const shot of figures.values()) draw(shot, shot.camera); });
}
pictures(shown);
