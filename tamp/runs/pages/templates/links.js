/** Rigid links on joints. A transform is 12 numbers, rows of rotation and position; tamp/runs/pages/drawing.py says what a link is. */
function times(A, B) {
  const C = [];
  for (let i = 0; i < 12; i += 4) for (let j = 0; j < 4; j++) C.push(A[i] * B[j] + A[i + 1] * B[j + 4] + A[i + 2] * B[j + 8] + (j === 3 ? A[i + 3] : 0));
  return C;
}
/** What a joint does at a value: radians about its axis, or metres along it. */
function jointed({kind, axis: [x, y, z]}, value) {
  if (kind === "slide") return [1, 0, 0, x * value, 0, 1, 0, y * value, 0, 0, 1, z * value];
  const c = Math.cos(value), s = Math.sin(value), v = 1 - c;
  return [c + x * x * v, x * y * v - z * s, x * z * v + y * s, 0, y * x * v + z * s, c + y * y * v, y * z * v - x * s, 0,
    z * x * v - y * s, z * y * v + x * s, c + z * z * v, 0];
}
/** The frames of a robot's links with these values, in the world; null where there are none. */
function framesOf(links, values) {
  if (!values) return null;
  const frames = [];
  for (const {parent, at, joint} of links) {
    const T = parent < 0 ? at : times(frames[parent], at);
    frames.push(joint ? times(T, jointed(joint, joint.times * (values[joint.value] || 0))) : T);
  }
  return frames;
}
