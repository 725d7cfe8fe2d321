/** Makes a part of the page what it should be, leaving alone what is so already: what is unfolded or scrolled stays. */
function morph(there, made) {
  if (there.isEqualNode(made)) return;
  if (there.nodeType !== 1 || there.nodeName !== made.nodeName) { there.replaceWith(made); return; }
  for (const {name} of [...there.attributes]) if (!made.hasAttribute(name) && name !== "open") there.removeAttribute(name);
  for (const {name, value} of made.attributes) if (name !== "open") there.setAttribute(name, value);
  const old = [...there.childNodes], fresh = [...made.childNodes];
  for (const node of old.slice(fresh.length)) node.remove();
  fresh.forEach((node, n) => { if (n < old.length) morph(old[n], node); else there.append(node); });
}
/** Gives an order, and says what becomes of it. */
async function give(order, said) {
  const answer = by("answer");
  answer.textContent = `${said} …`;
  try {
    const reply = await fetch("order", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(order)});
    const {taken, why} = reply.ok ? await reply.json() : {taken: false, why: `the viewer says ${reply.status}; load the page anew`};
    answer.textContent = `${said}: ${taken ? "taken" : `${taken === false ? "refused: " : ""}${why}`}`;
  } catch {
    answer.textContent = `${said}: the viewer is gone`;
  }
}
if (by("say")) {
  const orders = {stop: {stop: ""}, skip: {skip: 2}};
  onClick("[data-order]", ({dataset: {order}}) => give(orders[order], order));
  by("say").addEventListener("submit", (e) => {
    e.preventDefault();
    const words = by("words").value.trim();
    if (words) give({say: words}, `“${words}”`);
    by("words").value = "";
  });
}
/** Where a point of the world is in a camera's picture, null where it is not before the camera. */
function seenBy({K: [fx, fy, cx, cy], T_world_camera: T}, [x, y, z]) {
  const d = [x - T[3], y - T[7], z - T[11]], [u, v, w] = [0, 1, 2].map((k) => T[k] * d[0] + T[4 + k] * d[1] + T[8 + k] * d[2]);
  return w < 0.05 ? null : [fx * u / w + cx, fy * v / w + cy];
}
/** The pictures of cameras, with the boxes of things drawn where they are known to be. */
function showPictures(index, {scene, state}) {
  by("cameras").hidden = !index;
  const edges = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
  for (const [name, camera] of Object.entries(index ? index.cameras : {})) {
    const next = new Image(), [height, width] = camera.size;
    next.addEventListener("load", () => {
      let canvas = by(`camera-${name}`);
      if (!canvas) {
        canvas = element("canvas", null, {id: `camera-${name}`, role: "img", "aria-label": `What the camera ${name} sees`, width, height});
        by("pictures").append(canvas);
      }
      const pen = canvas.getContext("2d");
      pen.drawImage(next, 0, 0);
      pen.strokeStyle = "#fff";
      scene.things.forEach(({corners}, n) => {
        const now = (state.things || [])[n], T = now && now.at;
        const seen = T && corners && corners.map(([x, y, z]) => seenBy(camera, [0, 4, 8].map((k) => T[k] * x + T[k + 1] * y + T[k + 2] * z + T[k + 3])));
        if (!seen || !by("overlay").checked || seen.includes(null)) return;
        for (const [a, b] of edges) { pen.beginPath(); pen.moveTo(...seen[a]); pen.lineTo(...seen[b]); pen.stroke(); }
      });
    });
    next.src = `picture/${camera.file}?${index.number}`;
  }
}
/** Puts text of HTML in its place. The server laid it out, with all that a log says as text; no script of it can run. */
function layOut(name, text) {
  const there = document.querySelector(`[data-part="${name}"]`), made = there.cloneNode(false);
  made.innerHTML = text;
  morph(there, made);
}
/** A page that goes on: what has changed comes from the server, and is put in its place. */
async function live() {
  const picture = await viewed(), known = {scene: {links: [], things: []}, state: {}, path: []};
  const show = {
    path(path) { known.path = path; },
    scene(scene) { known.scene = scene; picture.build(scene); },
    state(state) {
      const {path} = known, last = path[path.length - 1], far = last && state.tool ? Math.hypot(...state.tool.map((x, k) => x - last[k])) : 0;
      if (far > 0.1) path.length = 0;  // what was between is not known
      if (state.tool && (!last || far > 0.003)) path.push(state.tool);
      if (path.length > 4000) path.shift();
      known.state = {...state, path, done: path.length};
      picture.show(known.state);
    },
    orders(taken) { if (by("orders")) by("orders").hidden = !taken; },
    pictures(index) { if (by("cameras")) showPictures(index, known); },
    whole: inStep(picture),
  };
  const source = new EventSource("events");
  const lost = (why) => { by("line").textContent = why; show.orders(false); };
  source.addEventListener("message", (message) => {
    const parts = JSON.parse(message.data);
    for (const name of Object.keys(parts)) if (name.startsWith("#")) layOut(name.slice(1), parts[name]);
    document.title = `${document.querySelector("h1").textContent} - tamp view`;
    for (const name of Object.keys(show)) if (name in parts) show[name](parts[name]);
    by("line").textContent = "";
  });
  source.addEventListener("error", () => lost("The viewer is gone: this is what it said last."));
  source.addEventListener("over", () => { source.close(); lost("The viewer has ended: this is what it said last."); });
}
live();
