// The page "In the browser": asks before it downloads, tells what it does, shows answers and refusals.

const here = new URL(".", import.meta.url);
const built = new URL("../../browser-files/", here);
const root = document.getElementById("gapless-browser");

const EXAMPLE = {
  words: "time flies like an arrow",
  labels: "NOUN VERB ADP DET",
  unary: [[2, 1, -2, -3], [1.2, 1, -2, -3], [-1, 1.1, 1, -3], [-3, -3, -1, 3], [2, 0.5, -2, -3]],
  transition: [[0, 1, 0.5, -1], [-0.5, -1.5, 1, 1], [0.5, -1, -2, 1.5], [2, -2, -2, -2]],
};

root.innerHTML = `
  <div class="gb-load">
    <p data-part="size">Reading the list of files …</p>
    <button type="button" data-part="start" hidden>Download and start</button>
    <progress data-part="progress" max="1" value="0" hidden aria-label="Download"></progress>
  </div>
  <p class="gb-status" data-part="status" role="status" aria-live="polite"></p>
  <div data-part="questions" hidden>
    <div class="gb-choice" role="group" aria-label="Kind of problem">
      <button type="button" data-part="to-sentence" aria-pressed="true">A sentence</button>
      <button type="button" data-part="to-scores" aria-pressed="false">Scores</button>
    </div>
    <form data-part="sentence">
      <label for="gb-text">English sentence, at most 25 words</label>
      <input id="gb-text" type="text" maxlength="300" autocomplete="off" value="This clever lawyer found a key early that was very large.">
      <button type="submit">Parse</button>
    </form>
    <form data-part="scores" hidden>
      <label for="gb-words">Words</label>
      <input id="gb-words" type="text" maxlength="120" autocomplete="off" value="${EXAMPLE.words}">
      <label for="gb-labels">Labels</label>
      <input id="gb-labels" type="text" maxlength="80" autocomplete="off" value="${EXAMPLE.labels}">
      <div class="gb-scroll" data-part="unary"></div>
      <div class="gb-scroll" data-part="transition"></div>
      <button type="submit">Solve</button>
    </form>
    <div data-part="answer" hidden>
      <div class="gb-scroll gb-drawing" data-part="drawing"></div>
      <dl data-part="facts"></dl>
    </div>
  </div>`;

const part = (name) => root.querySelector(`[data-part="${name}"]`);
const say = (text, wrong = false) => {
  part("status").textContent = text;
  part("status").classList.toggle("gb-wrong", wrong);
};
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

let manifest;
let worker;

async function begin() {
  try {
    const answer = await fetch(new URL("manifest.json", built));
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    manifest = await answer.json();
  } catch (error) {
    part("size").textContent = `Nothing was built for this page (${error.message}): run "make browser", then "make docs".`;
    return;
  }
  part("size").textContent =
    `Python, NumPy and gapless: ${megabytes(manifest.transferred)} to download. It runs in this tab; nothing you type leaves it.`;
  part("start").hidden = false;
}

async function start() {
  part("start").hidden = true;
  part("progress").hidden = false;
  say("Downloading …");
  try {
    const code = await (await fetch(new URL("solve.py", here))).text();
    worker = new Worker(new URL("worker.js", here), { type: "module" });
    window.gaplessWorker = worker; // for consoles and tests
    worker.onmessage = ({ data }) => received(data);
    worker.onerror = () => failed("the worker stopped; reload the page to begin again");
    worker.postMessage({ kind: "load", files: manifest.files, base: built.href, code });
  } catch (error) {
    failed(error.message);
  }
}

function received(data) {
  if (data.kind === "progress") {
    part("progress").value = data.share;
    say(`Downloading: ${Math.round(100 * data.share)} %`);
  } else if (data.kind === "starting") {
    say("Starting Python: some seconds …");
    part("progress").removeAttribute("value");
  } else if (data.kind === "ready") {
    root.querySelector(".gb-load").hidden = true;
    part("questions").hidden = false;
    say("Ready.");
    part("sentence").requestSubmit();
  } else if (data.kind === "answer") {
    busy(false);
    if (data.refused) refused(data);
    else show(data);
  } else {
    failed(data.reason);
  }
}

function failed(reason) {
  worker?.terminate();
  worker = undefined;
  busy(false);
  part("progress").hidden = true;
  part("questions").hidden = true;
  root.querySelector(".gb-load").hidden = false;
  part("start").hidden = false;
  part("start").textContent = "Try again";
  say(`It did not work: ${reason}`, true);
}

function refused({ refused: reason, trace }) {
  part("answer").hidden = true;
  say(reason, true);
  if (trace) console.error(trace);
}

function show({ drawing, value, bound, gap, status, holds, verdict, seconds }) {
  part("drawing").innerHTML = drawing;
  const facts = [
    ["Value", value.toFixed(3)],
    ["Bound", `${bound.toFixed(3)}: nothing scores more`],
    ["Gap", gap < 1e-9 ? "0" : gap.toPrecision(3)],
    ["Status", status.replaceAll("_", " ").toLowerCase()],
    ["Certificate", `${holds ? "holds" : "does not hold"}: ${verdict}`],
    ["Time", `${seconds < 0.0995 ? (1000 * seconds).toFixed(0) + " ms" : seconds.toFixed(1) + " s"}, on the readable Python search`],
  ];
  part("facts").replaceChildren(
    ...facts.flatMap(([name, text]) => {
      const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
      [dt.textContent, dd.textContent] = [name, text];
      return [dt, dd];
    }),
  );
  part("answer").hidden = false;
  say(holds && gap < 1e-6 ? "Solved, and the proof was checked." : "Not proved: the gap says how much better another one may be.");
}

function busy(yes) {
  for (const button of root.querySelectorAll("form button")) button.disabled = yes;
}

function ask(question) {
  busy(true);
  say("Solving …");
  worker.postMessage(question);
}

const split = (id) => document.getElementById(id).value.split(/[\s,]+/).filter(Boolean);

// The numbers of a table by row and column; those that were typed stay when words or labels change.
const typed = { unary: EXAMPLE.unary.map((row) => [...row]), transition: EXAMPLE.transition.map((row) => [...row]) };

function table(name, title, rows, columns) {
  const made = document.createElement("table");
  made.createCaption().textContent = title;
  const head = made.createTHead().insertRow();
  head.append(document.createElement("td"), ...columns.map((text) => heading(text, "col")));
  const body = made.createTBody();
  rows.forEach((text, i) => {
    const row = body.insertRow();
    row.append(heading(text, "row"));
    columns.forEach((column, j) => {
      const input = document.createElement("input");
      Object.assign(input, { type: "number", step: "any", required: true, value: typed[name][i]?.[j] ?? 0 });
      input.setAttribute("aria-label", `${title} ${text}, ${column}`);
      input.oninput = () => ((typed[name][i] ??= [])[j] = input.valueAsNumber);
      row.insertCell().append(input);
    });
  });
  part(name).replaceChildren(made);
}

function heading(text, scope) {
  const cell = document.createElement("th");
  Object.assign(cell, { textContent: text, scope });
  return cell;
}

function tables() {
  const [words, labels] = [split("gb-words"), split("gb-labels")];
  table("unary", "Score of each label for each word:", words, labels);
  table("transition", "Score of a label (row) before the next (column):", labels, labels);
}

function numbers(name) {
  return [...part(name).querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("input")].map((input) => input.valueAsNumber),
  );
}

function choose(name) {
  for (const one of ["sentence", "scores"]) {
    part(one).hidden = one !== name;
    part(`to-${one}`).setAttribute("aria-pressed", String(one === name));
  }
  part("answer").hidden = true;
  say("");
}

part("start").onclick = start;
part("to-sentence").onclick = () => choose("sentence");
part("to-scores").onclick = () => choose("scores");
document.getElementById("gb-words").oninput = tables;
document.getElementById("gb-labels").oninput = tables;
part("sentence").onsubmit = (event) => {
  event.preventDefault();
  ask({ kind: "parse", text: document.getElementById("gb-text").value });
};
part("scores").onsubmit = (event) => {
  event.preventDefault();
  const [words, labels] = [split("gb-words"), split("gb-labels")];
  if (!words.length || labels.length < 2) {
    refused({ refused: "Write at least one word and two labels." });
  } else if (words.length > 25 || labels.length > 12) {
    refused({ refused: "At most 25 words and 12 labels fit on this page." });
  } else {
    ask({ kind: "label", words, labels, unary: numbers("unary"), transition: numbers("transition") });
  }
};
tables();
begin();
