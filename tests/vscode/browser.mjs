// The test's hand outside VS Code: code-server, a headless Chromium, and a user at its keys and its mouse.
//
// Contract: lines of JSON on standard input, `{id, do, ...}`, are done one after the other; each is answered on standard output by
// `{id, ok, result}`. Every wait is for something on the page, and has a limit. When standard input ends, so do code-server, the
// browser and this process: nothing outlives the test, however that ends.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const setup = JSON.parse(process.argv[2]);
const { chromium } = createRequire(import.meta.url)(setup.playwright);

/** How long a user would look for something. Only a failing test waits this long. */
const PATIENCE_MS = 40_000;
/** A workbench loads some megabytes of script, on a busy machine. */
const LOAD_MS = 90_000;

const server = spawn(setup.server[0], setup.server.slice(1), { stdio: ["ignore", "ignore", "ignore"], detached: true });
let browser;
/** One for all windows, as in a browser: what VS Code remembers of a workspace is in there. */
let context;
const pages = new Map();
const consoles = new Map();

/** Resolves when code-server accepts connections. */
function listening() {
  return new Promise((resolve, reject) => {
    const end = Date.now() + LOAD_MS;
    const attempt = () => {
      const socket = connect(setup.port, "127.0.0.1");
      socket.on("connect", () => (socket.destroy(), resolve()));
      socket.on("error", () => (Date.now() > end ? reject(new Error("code-server does not listen")) : setTimeout(attempt, 20)));
    };
    attempt();
    server.on("exit", (code) => reject(new Error(`code-server ended with code ${code}`)));
  });
}

/** The page; or the frame that has the element `within`: a webview is a frame in a frame, made anew whenever it is shown. */
async function scopeOf(page, { within }) {
  if (within === undefined) return page;
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    for (const frame of page.frames()) {
      if (await frame.locator(within).count().catch(() => 0)) return frame;
    }
  }
  throw new Error(`no frame has ${within}`);
}

const found = async (page, order) => {
  const { selector, text, nth } = order;
  const scope = await scopeOf(page, order);
  const all = text === undefined ? scope.locator(selector) : scope.locator(selector, { hasText: text });
  return all.nth(nth || 0);
};

/** In the page: whether a value in VS Code's storage in the browser has these texts. */
async function hasStored(texts) {
  const result = (request) => new Promise((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = reject)));
  for (const { name } of await indexedDB.databases()) {
    const database = await result(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const values = await result(database.transaction(store).objectStore(store).getAll());
        if (values.some((value) => texts.every((text) => JSON.stringify(value).includes(text)))) return true;
      }
    } finally {
      database.close();
    }
  }
  return false;
}

/** In the page: begins to wait until a key arrives and then a condition holds, in a frame that is drawn. */
function beginTiming(holds) {
  window.copydeskTimed = new Promise((resolve) => {
    let arrived;
    const check = () => {
      if (arrived === undefined || !holds()) return;
      observer.disconnect();
      removeEventListener("keydown", down, true);
      // The editor draws in animation frames; a message arrives after the frame.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now() - arrived);
      port2.postMessage(0);
    };
    const down = (event) => {
      if (!["Control", "Alt", "Shift"].includes(event.key)) arrived ??= event.timeStamp;
    };
    const observer = new MutationObserver(check);
    addEventListener("keydown", down, true);
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}

/** In the page: notes for every key how long it took from its arrival until it was handled. */
function noteKeys() {
  window.copydeskKeys?.stop.abort();
  const { signal } = (window.copydeskKeys = { took: [], stop: new AbortController() }).stop;
  const { took } = window.copydeskKeys;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data: arrived }) => took.push(performance.now() - arrived);
  let arrived;
  addEventListener("keydown", (event) => (arrived = event.timeStamp), { capture: true, signal });
  // The text is typed in the same task as this event.
  addEventListener("keypress", () => port2.postMessage(arrived), { capture: true, signal });
}

/** In the page: keeps when the first key arrives, in milliseconds since 1970. */
function noteArrival() {
  window.copydeskArrival = new Promise((resolve) => {
    addEventListener("keydown", (event) => resolve(performance.timeOrigin + event.timeStamp), { capture: true, once: true });
  });
}

/** In the page: when it drew its first text or picture, in milliseconds since 1970. */
function firstDrawn() {
  return new Promise((resolve) => {
    const take = (list) => list.getEntries().forEach(({ name, startTime }) => name === "first-contentful-paint" && resolve(performance.timeOrigin + startTime));
    new PerformanceObserver(take).observe({ type: "paint", buffered: true });
  });
}

/** In the page: when it drew a frame in which a condition holds, in milliseconds since 1970. */
function drawnWhen(holds) {
  return new Promise((resolve) => {
    const check = () => (holds() ? setTimeout(() => resolve(performance.timeOrigin + performance.now())) : requestAnimationFrame(check));
    check();
  });
}

/** In the page: notes for each word of an element's text when it was drawn, in milliseconds since 1970. */
function noteWords(selector) {
  const drawn = (window.copydeskWords = []);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data: words }) => {
    const now = performance.timeOrigin + performance.now();
    while (drawn.length < words) drawn.push(now);
  };
  const count = () => document.querySelector(selector)?.textContent.split(/\s+/).filter(Boolean).length ?? 0;
  // The frame is drawn between this callback and the message.
  const post = () => requestAnimationFrame(() => port2.postMessage(count()));
  new MutationObserver(post).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** The main threads whose CPU time is measured, by the window. */
const meters = new Map();

async function readMeter(window) {
  const all = await Promise.all(meters.get(window).map((meter) => meter.send("Performance.getMetrics")));
  return all.reduce((sum, { metrics }) => sum + metrics.find(({ name }) => name === "TaskDuration").value * 1000, 0);
}

const actions = {
  async start() {
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];
    const launch = () => chromium.launch({ executablePath: setup.chromium, headless: true, args });
    // Once in some hundred starts Chromium ends at once, by itself.
    browser = await launch().catch(launch).catch(launch);
    // Without a graphics card every frame costs the processor, so spinners stand still.
    context = await browser.newContext({ viewport: { width: 1400, height: 900 }, colorScheme: "light", reducedMotion: "reduce" });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await listening();
  },
  async open(_, { window, folder, query }) {
    const page = await context.newPage();
    const lines = [];
    consoles.set(window, lines);
    page.on("console", (message) => lines.length < 2000 && lines.push(`${message.type()}: ${message.text()}`));
    page.on("dialog", (dialog) => void dialog.accept().catch(() => {}));
    page.setDefaultTimeout(PATIENCE_MS);
    pages.set(window, page);
    // Without a folder the window is empty.
    const kind = folder === "" ? "ew" : folder.endsWith(".code-workspace") ? "workspace" : "folder";
    await page.goto(`http://127.0.0.1:${setup.port}/?${kind}=${encodeURIComponent(folder || "true")}${query || ""}`, { timeout: LOAD_MS });
    await page.locator(".monaco-workbench .statusbar").waitFor({ timeout: LOAD_MS });
  },
  async reload(page) {
    await page.reload({ timeout: LOAD_MS });
    await page.locator(".monaco-workbench .statusbar").waitFor({ timeout: LOAD_MS });
  },
  async close(page, { window }) {
    pages.delete(window);
    await page.close();
  },
  press: (page, { keys }) => page.keyboard.press(keys),
  type: (page, { text, delay }) => page.keyboard.type(text, { delay: delay || 0 }),
  /** Presses keys; returns after how many milliseconds the condition, JavaScript in the page, held on the screen. */
  async timePress(page, { keys, until }) {
    // As text, because the page's security policy forbids it to evaluate any.
    await page.evaluate(`(${beginTiming})(() => ${until})`);
    await page.keyboard.press(keys);
    return page.evaluate("window.copydeskTimed");
  },
  /** Types; returns how many milliseconds each key took. */
  async timeType(page, { text, delay }) {
    await page.evaluate(`(${noteKeys})()`);
    await page.keyboard.type(text, { delay });
    // The last keys may still be on their way.
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const took = await page.evaluate("window.copydeskKeys.took");
      if (took.length >= text.length || Date.now() > end) return took;
    }
  },
  /** Opens a view by a key; returns after how many milliseconds its page had drawn its first content, and a frame in which a condition held. */
  async timeView(page, { keys, within, until }) {
    for (const end = Date.now() + PATIENCE_MS; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const counts = await Promise.all(page.frames().map((frame) => frame.locator(within).count().catch(() => 0)));
      if (counts.every((count) => count === 0)) break;
      if (Date.now() > end) throw new Error(`${within} does not go away`);
    }
    await page.evaluate(`(${noteArrival})()`);
    await page.keyboard.press(keys);
    const frame = await scopeOf(page, { within });
    const times = await Promise.all([frame.evaluate(`(${firstDrawn})()`), frame.evaluate(`(${drawnWhen})(() => ${until})`)]);
    const arrived = await page.evaluate("window.copydeskArrival");
    return times.map((time) => time - arrived);
  },
  noteWords: async (page, what) => void (await (await scopeOf(page, what)).evaluate(`(${noteWords})(${JSON.stringify(what.selector)})`)),
  /** Begins to measure the CPU time of the main threads that draw a window: its own, and those of frames that have one. */
  async startMeter(page, { window }) {
    const frames = page.frames().slice(1);
    const ofFrames = await Promise.all(frames.map((frame) => context.newCDPSession(frame).catch(() => undefined)));
    const all = [await context.newCDPSession(page), ...ofFrames.filter(Boolean)];
    await Promise.all(all.map((meter) => meter.send("Performance.enable", { timeDomain: "threadTicks" })));
    meters.set(window, all);
    return readMeter(window);
  },
  /** How many milliseconds they have used. */
  readMeter: (_, { window }) => readMeter(window),
  evaluate: async (page, what) => (await scopeOf(page, what)).evaluate(what.code),
  click: async (page, what) => (await found(page, what)).click({ button: what.button || "left" }),
  /** Clicks a button that is there only while the mouse is over its row. The row may be drawn anew between the two, and then lacks it. */
  clickOnRow: async (page, what) => {
    const row = await found(page, what);
    const button = row.locator(what.button).first();
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      try {
        await row.hover();
        return await button.click({ timeout: 2_000 });
      } catch (error) {
        if (error.name !== "TimeoutError" || Date.now() > end) throw error;
      }
    }
  },
  hover: async (page, what) => (await found(page, what)).hover(),
  wait: async (page, what) => (await found(page, what)).waitFor({ state: what.state || "visible" }),
  /** Waits until an input has a text. */
  waitForValue: async (page, what) => {
    const input = await found(page, { ...what, text: undefined });
    for (const end = Date.now() + PATIENCE_MS; (await input.inputValue()) !== what.text; await new Promise((resolve) => setTimeout(resolve, 20))) {
      if (Date.now() > end) throw new Error(`the input has ${JSON.stringify(await input.inputValue())}`);
    }
  },
  texts: async (page, what) => (await scopeOf(page, what)).locator(what.selector).allInnerTexts(),
  count: async (page, what) => (await scopeOf(page, what)).locator(what.selector).count(),
  /** Sends the extension a message in the place of a webview's page. */
  sendToHost: async (page, what) => {
    const frame = (await scopeOf(page, what)).parentFrame();
    await frame.evaluate((message) => window.__vscode_post_message__("onmessage", { message, transfer: [] }), what.message);
  },
  /** Waits until VS Code has stored a value with these texts, which in a browser it does every few seconds. */
  waitUntilStored: async (page, { texts }) => {
    for (const end = Date.now() + PATIENCE_MS; !(await page.evaluate(hasStored, texts)); await new Promise((resolve) => setTimeout(resolve, 100))) {
      if (Date.now() > end) throw new Error(`VS Code stores nothing with ${texts}`);
    }
  },
  /** What is a barrier for users with disabilities, one line each. */
  async barriers(page, what) {
    const scope = await scopeOf(page, what);
    await scope.evaluate(readFileSync(setup.axe, "utf8"));
    const { violations } = await scope.evaluate("axe.run(document, { resultTypes: ['violations'] })");
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`));
  },
  /** Waits for a text that a decoration draws after a line. */
  waitForNote: async (page, { text }) => {
    const isDrawn = (text) => [...document.querySelectorAll(".view-line *")].some((one) => getComputedStyle(one, "::after").content.includes(text));
    await page.waitForFunction(isDrawn, text);
  },
  attribute: async (page, what) => (await found(page, what)).getAttribute(what.name),
  /** Of the page, or of one element on it. */
  screenshot: async (page, { path, selector }) => void (await (selector ? page.locator(selector) : page).screenshot({ path })),
  console: (_, { window }) => consoles.get(window) || [],
};

async function end() {
  if (browser) await browser.close().catch(() => {});
  try {
    process.kill(-server.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
  process.exit(0);
}

const answer = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const orders = createInterface({ input: process.stdin });
let last = Promise.resolve();
orders.on("line", (line) => {
  const order = JSON.parse(line);
  last = last.then(async () => {
    try {
      const result = await actions[order.do](pages.get(order.window), order);
      answer({ id: order.id, ok: true, result: result === undefined ? null : result });
    } catch (error) {
      answer({ id: order.id, ok: false, result: String(error.stack || error) });
    }
  });
});
orders.on("close", () => void end());
