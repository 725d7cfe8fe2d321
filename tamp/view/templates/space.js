/** Loads three.js, which the page carries compressed; its policy names the library's hash. */
async function three() {
  const bytes = Uint8Array.from(atob(by("three").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  document.head.append(element("script", await new Response(stream).text()));
}
/**
 * A 3-D view that is turned by keys, buttons or by hand. Metres, z up; a transform is 12 numbers, 3 rows of rotation and
 * position. Returns `build`, which takes a scene (tamp/view/picture.py), and `show`, which takes a state:
 *   values  of the robot's joints, or null; things  of each {at, by}: its transform, and how far its joints are
 *   path    points, of which the first `done` are behind the tool
 *   marks   names of things that are shown in red
 */
function space(place) {
  const view = {turn: 2.6, tilt: 0.4, zoom: 1}, SIDE = {...view}, TOP = {turn: 3.1416, tilt: 1.57, zoom: 1};
  const world = new THREE.Scene(), camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100), room = new THREE.Box3();
  const renderer = new THREE.WebGLRenderer({antialias: true, alpha: true}), labels = element("div", null, {class: "labels", "aria-hidden": "true"});
  const content = new THREE.Group(), ground = new THREE.Group();
  let scene = {links: [], things: []}, state = {}, robot = [], things = [], loose = null, due = false;
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const matrix = (at) => new THREE.Matrix4().set(...at, 0, 0, 0, 1);
  const vectors = (points) => points.map((p) => new THREE.Vector3(...p));
  camera.up.set(0, 0, 1);
  place.append(renderer.domElement, labels);

  function solid([points, faces], material) {
    const geometry = new THREE.BufferGeometry().setFromPoints(vectors(points)).setIndex(faces.flat());
    return new THREE.Mesh(geometry, material);
  }
  /** A link: a frame, in it what its joint turns or shifts, and on that its solids. */
  function link({at, joint, solids}, material) {
    const frame = new THREE.Group(), moved = new THREE.Group();
    frame.applyMatrix4(matrix(at));
    frame.add(moved);
    for (const some of solids) moved.add(solid(some, material));
    return {frame, moved, joint};
  }
  function move({moved, joint}, by) {
    const axis = new THREE.Vector3(...joint.axis);
    if (joint.kind === "slide") moved.position.copy(axis.multiplyScalar(by)); else moved.quaternion.setFromAxisAngle(axis, by);
  }
  const plain = (name) => new THREE.MeshPhongMaterial({color: colour(name), flatShading: true, shininess: 5});
  const QUADS = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]].map(([a, b, c, d]) => [a, b, c, a, c, d]);
  function thing({kind, corners, parts}) {
    const group = new THREE.Group(), wrong = kind === "keep out", links = parts.map((part) => link(part, plain("--part")));
    const glass = new THREE.MeshBasicMaterial({color: colour(wrong ? "--bad" : "--warn"), transparent: true, opacity: 0.25, depthWrite: false});
    for (const {frame} of links) group.add(frame);
    const box = corners && !parts.length ? solid([corners, QUADS], glass) : null, rims = links.flatMap(({moved}) => moved.children);
    if (box) { if (!/^workspace$|old$/.test(kind)) group.add(box); rims.push(box); }
    const rim = new THREE.LineBasicMaterial({color: colour(wrong ? "--bad" : "--soft")});
    for (const mesh of rims) (mesh.parent || group).add(new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry, 20), rim));
    if (!corners && !parts.length) group.add(new THREE.Mesh(new THREE.SphereGeometry(0.008), glass));
    return {group, links, glass, rim, kind};
  }
  function build(other) {
    scene = other;
    world.clear();
    content.clear();
    const lamp = new THREE.DirectionalLight(0xffffff, 0.6);
    lamp.position.set(1, -2, 3);
    world.add(new THREE.HemisphereLight(0xffffff, 0x777777, 0.8), lamp, content, ground);
    robot = scene.links.map((each) => link(each, plain("--solid")));
    robot.forEach(({frame}, n) => { const {parent} = scene.links[n]; (parent < 0 ? content : robot[parent].moved).add(frame); });
    things = scene.things.map(thing);
    show(state);
  }
  function line(points, name) {
    loose.add(new THREE.Line(new THREE.BufferGeometry().setFromPoints(vectors(points)), new THREE.LineBasicMaterial({color: colour(name)})));
  }
  function show(other) {
    state = other;
    const values = state.values || scene.rest;
    for (const each of robot) { each.frame.visible = Boolean(values); if (values && each.joint) move(each, each.joint.times * (values[each.joint.value] || 0)); }
    things.forEach(({group, links, glass, rim, kind}, n) => {
      const now = (state.things || [])[n], wrong = (state.marks || []).includes(scene.things[n].name);
      if (!now) { content.remove(group); return; }
      content.add(group);
      group.matrix.copy(matrix(now.at)).decompose(group.position, group.quaternion, group.scale);
      links.forEach((each, k) => { if (each.joint) move(each, now.by[k] || 0); });
      glass.color.set(colour(wrong || kind === "keep out" ? "--bad" : "--warn"));
      rim.color.set(colour(wrong || kind === "keep out" ? "--bad" : "--soft"));
    });
    if (loose) content.remove(loose);
    loose = new THREE.Group();
    content.add(loose);
    line(state.path || [], "--line");
    line((state.path || []).slice(0, state.done), "--path");
    room.expandByObject(content);
    grid();
    soon();
  }
  function grid() {
    const size = room.getSize(new THREE.Vector3()), middle = room.getCenter(new THREE.Vector3());
    const made = new THREE.GridHelper(Math.max(size.x, size.y, 0.1), 8, colour("--line"), colour("--line"));
    made.rotation.x = Math.PI / 2;
    made.position.set(middle.x, middle.y, scene.floor === undefined || scene.floor === null ? room.min.z : scene.floor);
    ground.clear();
    ground.add(made);
  }
  function soon() {
    if (!due) { due = true; requestAnimationFrame(draw); }
  }
  function draw() {
    due = false;
    const width = place.clientWidth, height = Math.round(0.66 * width), ball = room.getBoundingSphere(new THREE.Sphere());
    renderer.setPixelRatio(window.devicePixelRatio);
    renderer.setSize(width, height);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    const far = Math.max(0.2, ball.radius) / Math.sin(Math.PI * 17.5 / 180) * 0.85 / view.zoom, flat = far * Math.cos(view.tilt);
    camera.position.set(flat * Math.cos(view.turn - 1), flat * Math.sin(view.turn - 1), far * Math.sin(view.tilt)).add(ball.center);
    camera.lookAt(ball.center);
    renderer.render(world, camera);
    write(width, height);
  }
  /** Names what there is; a name that would cover another one goes below it. */
  function write(width, height) {
    const texts = [], boxes = [];
    scene.things.forEach(({name}, n) => {
      const now = (state.things || [])[n];
      if (now) texts.push({text: name, at: [3, 7, 11].map((k) => now.at[k]), wrong: (state.marks || []).includes(name)});
    });
    if (state.done) texts.push({text: "tool", at: state.path[state.done - 1]});
    labels.replaceChildren(...texts.sort((a, b) => Boolean(b.wrong) - Boolean(a.wrong)).map(({text, wrong}) => element("span", text, wrong ? {class: "bad"} : {})));
    texts.forEach(({at}, n) => {
      const label = labels.children[n], {x, y} = new THREE.Vector3(...at).project(camera), wide = label.offsetWidth, tall = label.offsetHeight;
      const left = Math.max(0, Math.min((x + 1) / 2 * width, width - wide));
      let top = Math.max(0, Math.min((1 - y) / 2 * height, height - tall));
      for (const [l, t, r, b] of boxes) if (left < r && l < left + wide && top < b && t < top + tall) top = b;
      boxes.push([left, top, left + wide, top + tall]);
      boxes.sort((a, b) => a[1] - b[1]);
      label.style.transform = `translate(${left}px, ${top}px)`;
    });
  }
  function turned(turn, tilt, zoom) {
    view.turn += turn;
    view.tilt = Math.max(-1.57, Math.min(1.57, view.tilt + tilt));
    view.zoom = Math.max(0.3, Math.min(8, view.zoom * zoom));
    soon();
  }
  const keys = {ArrowLeft: [-0.1, 0, 1], ArrowRight: [0.1, 0, 1], ArrowUp: [0, 0.1, 1], ArrowDown: [0, -0.1, 1], "+": [0, 0, 1.2], "-": [0, 0, 1 / 1.2]};
  place.addEventListener("keydown", (e) => { if (keys[e.key]) { e.preventDefault(); turned(...keys[e.key]); } });
  place.addEventListener("pointermove", (e) => { if (e.buttons) turned(-e.movementX * 0.01, e.movementY * 0.01, 1); });
  onClick("[data-view]", ({dataset: {view: way}}) => {
    if (keys[way]) turned(...keys[way].map((x, k) => (k < 2 ? 3 * x : x))); else { Object.assign(view, way === "top" ? TOP : SIDE); soon(); }
  });
  window.addEventListener("resize", soon);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => build(scene));
  return {build, show};
}
