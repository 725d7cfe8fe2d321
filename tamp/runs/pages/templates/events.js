/** Every event, as many as are looked for. */
function searchable() {
  const find = document.getElementById("find"), kind = document.getElementById("kind");
  const counts = new Map();
  for (const [, name] of data.events) counts.set(name, (counts.get(name) || 0) + 1);
  kind.append(element("option", "any", {value: ""}));
  for (const name of [...counts.keys()].sort()) kind.append(element("option", `${name} (${counts.get(name)})`, {value: name}));
  const show = listing(document.getElementById("lines"), document.getElementById("more"), ([number, name, t, text]) => {
    const row = element("tr");
    row.append(element("td", number, {class: "num", "data-name": "line"}), element("td", `${t.toFixed(2)}\u00a0s`, {class: "num"}), element("td", name));
    const holds = element("td");
    holds.append(element("code", text));
    row.append(holds);
    return row;
  }, 100);
  function search() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = data.events.filter(([, name, , text]) => (!kind.value || name === kind.value) &&
      words.every((word) => name.toLowerCase().includes(word) || text.toLowerCase().includes(word)));
    document.getElementById("found").textContent = `${found.length} of ${data.events.length} events`;
    show(found);
  }
  find.addEventListener("input", search);
  kind.addEventListener("change", search);
  search();
}
searchable();
