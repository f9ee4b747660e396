
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

  const digits = (value) => value === null ? "∞" : Number.isInteger(value) ? String(value)
    : (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e7 ? String(+value.toPrecision(6)) : value.toExponential(2));

  for (const plot of document.querySelectorAll(".plot")) {
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
    const records = JSON.parse(held.textContent);
    const PAGE = 100;
    const [find, status, check, found, more] =
      ["find", "status", "check", "found", "more"].map((id) => document.getElementById(id));
    const body = document.querySelector("#list tbody");
    const heads = [...document.querySelectorAll("#list th")];
    const short = (text) => text.split(":")[0];
    for (const [box, column] of [[status, 1], [check, 6]]) {
      for (const name of [...new Set(records.map((one) => short(one[column])))].sort()) {
        box.append(new Option(name, name));
      }
    }
    let sorted = null, down = false, shown = PAGE;
    const cell = (row, one, column) => {
      const td = row.insertCell();
      if (column === 0 && one[7]) {
        const link = document.createElement("a");
        link.href = "#" + one[7];
        link.textContent = one[0];
        td.append(link);
      } else if (column >= 2 && column <= 5) {
        td.className = "number";
        td.textContent = one[column] === null ? "–" : digits(one[column]);
      } else {
        td.textContent = one[column];
        const marks = { "holds": "good", "fails": "bad", "not checked": "" };
        if (column === 6) td.className = marks[short(one[6])] ?? "fair";
      }
    };
    const draw = () => {
      const wanted = find.value.toLowerCase();
      const left = records.filter((one) => one[0].toLowerCase().includes(wanted)
        && (!status.value || one[1] === status.value) && (!check.value || short(one[6]) === check.value));
      if (sorted !== null) {
        const less = (a, b) => a === b ? 0 : a === null ? 1 : b === null ? -1
          : typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
        left.sort((a, b) => (down ? -1 : 1) * less(a[sorted], b[sorted]));
      }
      body.replaceChildren();
      for (const one of left.slice(0, shown)) {
        const row = body.insertRow();
        for (let column = 0; column < 7; column += 1) cell(row, one, column);
      }
      found.textContent = left.length + " of " + records.length;
      more.hidden = left.length <= shown;
    };
    // Not on "change" of the text: it comes when a click elsewhere takes the focus, and the rows must stay for that click.
    for (const [box, kind] of [[find, "input"], [status, "change"], [check, "change"]]) {
      box.addEventListener(kind, () => { shown = PAGE; draw(); });
    }
    more.addEventListener("click", () => { shown += 10 * PAGE; draw(); });
    heads.forEach((head, column) => head.addEventListener("click", () => {
      down = sorted === column ? !down : column >= 2 && column <= 5;
      sorted = column;
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      draw();
    }));
    draw();
  }

  const open = () => {
    const named = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (named && named.tagName === "DETAILS") { named.open = true; named.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  open();
})();
