/** What an arm says of itself, and what a detector sees. */
function arm({show, fill, say, picture}) {
  const by = (id) => document.getElementById(id);
  function words(list, lines) {
    fill(list, lines, ([text, wrong]) => element("li", wrong ? `✗ ${text}` : text, wrong ? {class: "bad"} : {}));
  }
  function values(list, rows) {
    if (list.children.length !== rows.length) {
      list.replaceChildren(...rows.map(([name]) => {
        const made = element("div");
        made.append(element("dt", name), element("dd", "", {class: "seconds"}));
        return made;
      }));
    }
    rows.forEach(([, value], n) => say(list.children[n].lastChild, value));
  }
  show.extent = ({points, floor}) => picture.show({extent: points, floor});
  show.arm = (lines) => words(by("arm"), lines);
  show.joints = ({joints, tool}) => {
    by("no-joints").hidden = true;
    values(by("joints"), joints);
    values(by("tool"), tool);
  };
  show.seen = ({lines, rows}) => {
    words(by("seen-told"), lines);
    fill(by("seen"), rows, (row) => {
      const made = element("tr");
      made.append(...row.map((text, n) => element("td", text, n && n < 4 ? {class: "num"} : {})));
      return made;
    });
  };
}
arm(shown);
