// Loads Pyodide, the wheel and the models; then answers questions of the page by solve.py. One question at a time.

const held = new Map();

function tell(message) {
  self.postMessage(message);
}

async function fetched(file, base, progress) {
  const url = new URL(file.url, base).href;
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new Error(`${url} cannot be reached. Is this machine offline, or does a filter refuse the server?`);
  }
  if (!response.ok) throw new Error(`${url}: the server answers ${response.status}`);
  const parts = [];
  const reader = response.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    progress(next.value.length);
  }
  const content = new Uint8Array(await new Blob(parts).arrayBuffer());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  const sum = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (sum !== file.sha256) throw new Error(`${url} is not the file that this page was made with (SHA-256 ${sum})`);
  return content;
}

// What Pyodide asks for has been downloaded and checked: it gets that, and nothing else from the network.
function serveHeld(origin) {
  const network = self.fetch.bind(self);
  const types = { wasm: "application/wasm", json: "application/json" };
  self.fetch = async (place, ...options) => {
    const url = String(place.url ?? place);
    const name = url.startsWith(origin) ? url.slice(origin.length) : "";
    if (!held.has(name)) return network(place, ...options);
    const type = types[name.split(".").pop()] ?? "application/octet-stream";
    return new Response(held.get(name), { headers: { "Content-Type": type } });
  };
}

function moduleOf(name) {
  return URL.createObjectURL(new Blob([held.get(name)], { type: "text/javascript" }));
}

async function load({ files, base, code }) {
  const all = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  const progress = (more) => tell({ kind: "progress", share: Math.min(1, (done += more) / all) });
  for (const [file, content] of await Promise.all(files.map(async (f) => [f, await fetched(f, base, progress)]))) {
    held.set(file.name, content);
  }
  tell({ kind: "starting" });
  const origin = new URL("held/", base).href;
  serveHeld(origin);
  await import(moduleOf("pyodide.asm.js"));
  const { loadPyodide } = await import(moduleOf("pyodide.mjs"));
  const python = await loadPyodide({ indexURL: origin });
  for (const { name } of files) {
    if (name.endsWith(".whl")) python.unpackArchive(held.get(name), "wheel");
    if (name.endsWith(".npz")) python.FS.writeFile(`/home/pyodide/${name}`, held.get(name));
  }
  held.clear();
  python.runPython(code);
  return python;
}

let python;

self.onmessage = async ({ data }) => {
  try {
    if (data.kind === "load") {
      python = await load(data);
      tell({ kind: "ready" });
    } else {
      const answer = python.globals.get("answer");
      tell({ kind: "answer", ...JSON.parse(answer(JSON.stringify(data))) });
      answer.destroy();
    }
  } catch (error) {
    tell({ kind: "failed", reason: String(error.message ?? error).trim().split("\n").pop() });
  }
};
