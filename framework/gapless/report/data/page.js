
"use strict";
(() => {
  const tip = document.getElementById("tip");
  const show = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 4)) + "px";
    tip.style.top = (y + 16 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 16) + "px";
  };
  const hide = () => { tip.hidden = true; };
  const tipped = (event) => event.target.closest ? event.target.closest("[data-tip]") : null;
  for (const kind of ["pointerover", "focusin", "click"]) {
    document.addEventListener(kind, (event) => {
      const node = tipped(event);
      if (!node) { if (kind === "click") hide(); return; }
      const box = node.getBoundingClientRect();
      show(node.dataset.tip, box.left + box.width / 2, box.bottom - 10);
    });
  }
  document.addEventListener("pointerout", (event) => { if (tipped(event)) hide(); });
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // As `number` of page.py writes them.
  const digits = (value) => {
    if (value === null) return "∞";
    const size = Math.abs(value);
    const plain = Number.isInteger(value) || (size >= 1e-3 && size < 1e15);
    const said = !plain ? value.toExponential(2).replace(/\.?0*e\+?/, "e")
      : (size >= 1e5 ? Math.round(value) : +value.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 9 });
    return said.replaceAll("-", "−");
  };

  for (const plot of document.querySelectorAll(".plot[data-across]")) {
    const series = JSON.parse(plot.querySelector("script").textContent);
    const cross = plot.querySelector(".cross");
    const places = [...new Set(series.flatMap((line) => line.points.map((point) => point[0])))].sort((a, b) => a - b);
    let at = places.length - 1;
    const tell = () => {
      const box = plot.getBoundingClientRect();
      const lines = [];
      let x = null;
      for (const line of series) {
        let known = null;
        for (const point of line.points) { if (point[0] <= places[at]) known = point; else break; }
        if (known) {
          lines.push(line.name + ": " + digits(known[3]));
          if (known[0] === places[at]) x = known[2];
        }
      }
      cross.hidden = false;
      cross.style.left = places[at] + "%";
      show(plot.dataset.across + ": " + digits(x) + "\n" + lines.join("\n"),
        box.left + box.width * places[at] / 100, box.top + 20);
    };
    plot.addEventListener("pointermove", (event) => {
      const box = plot.getBoundingClientRect();
      const wanted = 100 * (event.clientX - box.left) / box.width;
      at = 0;
      while (at + 1 < places.length && places[at + 1] <= wanted) at += 1;
      tell();
    });
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      at = Math.max(0, Math.min(places.length - 1, at + step));
      tell();
    });
    for (const kind of ["pointerleave", "blur"]) {
      plot.addEventListener(kind, () => { cross.hidden = true; hide(); });
    }
  }

  for (const controls of document.querySelectorAll(".zoom")) {
    const box = controls.nextElementSibling;
    const tree = box.querySelector("svg");
    const [, , width, height] = tree.getAttribute("viewBox").split(" ").map(Number);
    let scale = 1;
    const zoom = (wanted) => {
      const across = (box.scrollLeft + box.clientWidth / 2) / (width * scale);
      const down = (box.scrollTop + box.clientHeight / 2) / (height * scale);
      scale = Math.max(0.05, Math.min(8, wanted));
      tree.setAttribute("width", width * scale);
      tree.setAttribute("height", height * scale);
      box.scrollLeft = across * width * scale - box.clientWidth / 2;
      box.scrollTop = down * height * scale - box.clientHeight / 2;
    };
    const whole = () => Math.min((box.clientWidth || width) / width, (0.68 * innerHeight) / height);
    const fit = () => Math.min(2, whole());
    controls.addEventListener("click", (event) => {
      const wanted = event.target.dataset.zoom;
      if (wanted) zoom(wanted === "fit" ? fit() : scale * Number(wanted));
    });
    box.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(scale * (event.deltaY < 0 ? 1.15 : 0.87));
    }, { passive: false });
    // At first all of it where that can be read, otherwise the root and what is near it.
    scale = Math.min(1.4, Math.max(0.5, whole()));
    tree.setAttribute("width", width * scale);
    tree.setAttribute("height", height * scale);
    box.scrollLeft = Number(tree.querySelector("circle").getAttribute("cx")) * scale - box.clientWidth / 2;
  }

  const held = document.getElementById("records");
  if (held) {
    const { strings, rows } = JSON.parse(held.textContent);
    const PAGE = 100, LETTERS = 90;
    // Fields of an answer, as listing.py writes them.
    const NAME = 0, STATUS = 1, VALUE = 2, GAP = 3, SECONDS = 4, NODES = 5, CHECK = 6, ANCHOR = 7, WRONG = 8, CUT = 9,
      WORDS = 10, FOUND = 11, GOLD = 12, RIGHT = 13, FILE = 14, OTHER = 15, DIFFERS = 16;
    const ASPECTS = { answer: 1, value: 2, status: 4, errors: 8 };
    const byId = (id) => document.getElementById(id);
    const [find, status, check, judged, differs, file, found, more] =
      ["find", "status", "check", "errors-of", "differs", "file", "found", "more"].map(byId);
    const table = byId("list"), body = table.querySelector("tbody"), against = table.dataset.against;
    const short = (text) => text.split(":")[0];
    const spelled = (one) => one[WORDS].map((word) => strings[word]).join(" ");
    const made = (tag, text, style) => {
      const element = document.createElement(tag);
      if (text) element.textContent = text;
      if (style) element.className = style;
      return element;
    };

    const columns = [{ head: "answer", of: (one) => one[NAME], draw: (td, one) => title(td, one) }];
    const add = (head, of, draw, numeric) => columns.push({ head, of, draw, numeric });
    const number = (head, of) => add(head, of, (td, one) => {
      td.className = "number";
      td.textContent = counted(of(one));
    }, true);
    // Both runs in one cell, in two lines where they differ: columns beside each other would leave a phone's screen.
    const both = (head, field, spell) => {
      const said = (one) => spell(one[field]);
      const far = (one) => said(one) === said(one[OTHER]) ? 0
        : field === STATUS ? 1 : Math.abs((one[OTHER][field] ?? Infinity) - (one[field] ?? Infinity)) || 0;
      add(head, far, (td, one) => {
        td.className = field === STATUS ? "" : "number";
        if (said(one) === said(one[OTHER])) { td.textContent = said(one); return; }
        for (const [side, part] of [["A", one], ["B", one[OTHER]]]) {
          const line = made("span", said(part), "line-of");
          line.prepend(made("b", side), " ");
          td.append(line);
        }
      }, field !== STATUS);
    };
    const counted = (value) => value === null ? "–" : digits(value);
    if (against) {
      if (judged) both("errors", WRONG, counted);
      both("value", VALUE, counted);
      both("status", STATUS, (text) => strings[text]);
      both("seconds", SECONDS, counted);
    } else {
      if (judged) number("errors", (one) => one[WRONG]);
      add("status", (one) => strings[one[STATUS]], (td, one) => { td.textContent = strings[one[STATUS]]; });
      for (const [head, field] of [["value", VALUE], ["gap", GAP], ["seconds", SECONDS], ["nodes", NODES]]) {
        number(head, (one) => one[field]);
      }
      add("check", (one) => strings[one[CHECK]], (td, one) => {
        const said = strings[one[CHECK]];
        td.textContent = said;
        td.className = { "holds": "good", "fails": "bad", "not checked": "" }[short(said)] ?? "fair";
      });
    }
    for (const [box, field] of [[status, STATUS], [check, CHECK], [file, FILE]]) {
      if (!box) continue;
      for (const name of [...new Set(rows.map((one) => short(strings[one[field]])))].sort()) box.append(new Option(name, name));
    }

    // The words of an answer with what was found for each, and what is right where that is something else.
    const tokens = (one, name) => {
      const line = made("p", "", "tokens");
      if (name) line.append(made("strong", name, "side"), " ");
      const right = new Map();
      for (let i = 0; i < one[GOLD].length; i += 2) right.set(one[GOLD][i], strings[one[GOLD][i + 1]]);
      one[WORDS].forEach((word, place) => {
        const token = made("span", "", right.has(place) ? "token wrong" : "token");
        token.append(made("b", strings[word]));
        if (one[FOUND].length) token.append(made("i", strings[one[FOUND][place]]));
        if (one[FOUND].length && right.has(place)) token.append(made("u", right.get(place)));
        line.append(token, " ");
      });
      if (one[CUT]) line.append("…");
      if (!one[RIGHT].length) return [line];
      const gold = made("p", "right: " + one[RIGHT].map((each) => strings[each]).join(" "), "note");
      return [line, gold];
    };
    const unfold = (row, one, button) => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) { row.nextElementSibling.remove(); return; }
      const below = made("tr", "", "below"), cell = below.insertCell();
      cell.colSpan = columns.length;
      cell.append(...tokens(one, against ? "A" : ""), ...(against ? tokens(one[OTHER], "B") : []));
      row.after(below);
    };
    const title = (td, one) => {
      const text = spelled(one);
      const name = made(one[ANCHOR] ? "a" : "span", one[NAME], text ? "name" : "");
      if (one[ANCHOR]) name.href = "#" + one[ANCHOR];
      td.append(name);
      if (!text) return;
      const button = made("button", text.length > LETTERS ? text.slice(0, LETTERS) + "…" : text, "words-of");
      button.type = "button";
      button.setAttribute("aria-expanded", "false");
      button.addEventListener("click", () => unfold(td.parentElement, one, button));
      td.append(button);
    };

    let sorted = null, down = false, shown = PAGE;
    const wrong = (one) => Math.max(one[WRONG] ?? 0, against ? one[OTHER][WRONG] ?? 0 : 0);
    const judgedAs = { "": () => true, some: (one) => wrong(one) > 0, none: (one) => one[WRONG] !== null && !wrong(one) };
    const differing = (one) => !differs || !differs.value
      || (differs.value === "any" ? one[DIFFERS] > 0 : (one[DIFFERS] & ASPECTS[differs.value]) > 0);
    const statusOf = (one) => [one, ...(against ? [one[OTHER]] : [])].some((each) => strings[each[STATUS]] === status.value);
    const draw = () => {
      const wanted = find.value.toLowerCase();
      const left = rows.filter((one) => (one[NAME].toLowerCase().includes(wanted) || spelled(one).toLowerCase().includes(wanted))
        && (!status.value || statusOf(one)) && (!check || !check.value || short(strings[one[CHECK]]) === check.value)
        && (!file || !file.value || strings[one[FILE]] === file.value)
        && (!judged || judgedAs[judged.value](one)) && differing(one));
      if (sorted !== null) {
        const { of } = columns[sorted];
        const less = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
        left.sort((a, b) => {
          const [x, y] = [of(a), of(b)];
          return x === y ? 0 : x === null ? 1 : y === null ? -1 : (down ? -1 : 1) * less(x, y);
        });
      }
      body.replaceChildren();
      for (const one of left.slice(0, shown)) {
        const row = body.insertRow();
        for (const column of columns) {
          const td = row.insertCell();
          td.dataset.head = column.head;
          column.draw(td, one);
        }
      }
      found.textContent = left.length + " of " + rows.length;
      more.hidden = left.length <= shown;
    };
    const heads = columns.map((column, place) => {
      const head = made("th"), button = made("button", column.head);
      head.scope = "col";
      head.setAttribute("aria-sort", "none");
      if (column.numeric) head.className = "number";
      button.type = "button";
      head.append(button);
      button.addEventListener("click", () => {
        down = sorted === place ? !down : Boolean(column.numeric);
        sorted = place;
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        draw();
      });
      return head;
    });
    table.querySelector("thead tr").append(...heads);
    // Not on "change" of the text: it comes when a click elsewhere takes the focus, and the rows must stay for that click.
    for (const [box, kind] of [[find, "input"], [status, "change"], [check, "change"], [judged, "change"], [differs, "change"],
      [file, "change"]]) {
      if (box) box.addEventListener(kind, () => { shown = PAGE; draw(); });
    }
    more.addEventListener("click", () => { shown += 10 * PAGE; draw(); });
    byId("listed").hidden = false;
    find.closest(".controls").hidden = false;
    draw();
  }

  const open = () => {
    const named = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (named && named.tagName === "DETAILS") { named.open = true; named.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  open();
})();
