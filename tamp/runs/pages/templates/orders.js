/** Orders given on the page, and what becomes of them. */
function orders({show, say, fold}) {
  const by = (id) => document.getElementById(id), asked = {stop: {stop: ""}, skip: {skip: 2}, undo: {undo: ""}};
  show.orders = ({takes, why}) => {
    if (by("orders").hidden === takes) by("orders").hidden = !takes;
    by("no-orders").hidden = takes;
    say(by("no-orders"), why);
    fold();
  };
  async function give(order, told) {
    say(by("answer"), `${told} …`);
    let answer = "";
    try {
      const headers = {"Content-Type": "application/json"};
      const reply = await fetch("order", {method: "POST", headers, body: JSON.stringify(order)});
      const {taken, why} = reply.ok ? await reply.json() : {taken: false, why: `the viewer says ${reply.status}; load the page anew`};
      answer = taken ? "taken" : `${taken === false ? "refused: " : ""}${why}`;
    } catch {
      answer = "the viewer is gone";
    }
    say(by("answer"), `${told}: ${answer}`);
  }
  for (const button of document.querySelectorAll("[data-order]")) {
    button.addEventListener("click", () => give(asked[button.dataset.order], button.dataset.order));
  }
  by("say").addEventListener("submit", (e) => {
    e.preventDefault();
    const words = by("words").value.trim();
    if (!words) { by("words").focus(); return; }
    by("words").value = "";
    give({say: words}, `“${words}”`);
  });
}
orders(shown);
