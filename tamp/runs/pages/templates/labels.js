/** Text in lines no wider than so many pixels, the last one ending with … where there would be more than `most` of them. */
function linesOf(text, wide, most, measure) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (measure(longer) <= wide || !lines[lines.length - 1]) lines[lines.length - 1] = longer; else lines.push(word);
  }
  const cut = (line) => { let end = line; while (end && measure(`${end}…`) > wide) end = end.slice(0, -1); return `${end}…`; };
  const shown = lines.slice(0, most).map((line) => (measure(line) > wide ? cut(line) : line));
  if (lines.length > most) shown[most - 1] = cut(`${lines[most - 1]} ${lines[most]}`);
  return shown;
}
/**
 * Where labels go, [left, top, right, bottom] each: the first ones choose first. Pixels.
 *   labels  [{at, size}]: the point that it names, how wide and tall it is
 *   avoid   [{box, weight, of}]: what is better not covered, the pixels of way that it is worth not to cover it at all, and
 *           the number of the label that it belongs to, or nothing
 *   room    how wide and tall the picture is, which no label leaves; unit: how many pixels are one of a screen
 */
function placeLabels(labels, avoid, [width, height], unit) {
  const ways = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]], steps = [9, 22, 40, 62, 90, 125, 170];
  const within = (x, most) => Math.max(2 * unit, Math.min(x, most - 2 * unit));
  const shared = (a, b) => Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  const boxes = [];
  labels.forEach(({at: [u, v], size: [wide, tall]}, n) => {
    let best = null, least = Infinity;
    steps.forEach((step) => ways.forEach(([x, y], way) => {
      const far = step * unit * (x && y ? 0.7 : 1);
      const left = within(x > 0 ? u + far : x < 0 ? u - far - wide : u - wide / 2, width - wide);
      const top = within(y > 0 ? v + far : y < 0 ? v - far - tall : v - tall / 2, height - tall);
      const box = [left, top, left + wide, top + tall], area = wide * tall;
      let cost = step + way;
      for (const other of boxes) if (shared(box, other)) cost += 400 + 400 * shared(box, other) / area;
      for (const {box: other, weight, of} of avoid) {
        const part = shared(box, other);
        if (part) cost += weight * (of === n ? 0.4 : 1) * Math.min(1, 0.2 + part / Math.min(area, (other[2] - other[0]) * (other[3] - other[1])));
      }
      if (cost < least) { best = box; least = cost; }
    }));
    boxes.push(best);
  });
  return boxes;
}
/**
 * Writes labels, {text, at, strong}, the first ones first, with a line to what is named where that is not beside it.
 * `look` has the family of letters and the colours ink, strong and ground.
 */
function writeLabels(pen, labels, avoid, unit, look) {
  const room = [pen.canvas.width, pen.canvas.height], high = 15 * unit, most = Math.min(0.55 * room[0], 260 * unit);
  const font = (strong) => `${strong ? "bold " : ""}${13 * unit}px ${look.family}`;
  const measured = labels.map((label) => {
    pen.font = font(label.strong);
    const lines = linesOf(label.text, most, 4, (text) => pen.measureText(text).width);
    return {...label, lines, size: [Math.max(...lines.map((line) => pen.measureText(line).width)), high * lines.length]};
  });
  const boxes = placeLabels(measured, avoid, room, unit);
  pen.lineJoin = "round";
  measured.forEach(({at: [u, v], strong}, n) => {
    const [left, top, right, below] = boxes[n], end = [Math.max(left, Math.min(u, right)), Math.max(top, Math.min(v, below))];
    if (Math.hypot(end[0] - u, end[1] - v) < 14 * unit) return;
    for (const [style, wide] of [[look.ground, 3], [strong ? look.strong : look.ink, 1]]) {
      pen.strokeStyle = style; pen.lineWidth = wide * unit;
      pen.beginPath(); pen.moveTo(u, v); pen.lineTo(...end); pen.stroke();
    }
  });
  measured.forEach(({lines, strong}, n) => lines.forEach((line, k) => {
    const [left, top] = boxes[n], below = top + k * high + 12 * unit;
    pen.font = font(strong); pen.lineWidth = 4 * unit; pen.strokeStyle = look.ground; pen.strokeText(line, left, below);
    pen.fillStyle = strong ? look.strong : look.ink; pen.fillText(line, left, below);
  }));
}
