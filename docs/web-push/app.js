import { Carillon } from "https://push.example.com/carillon.js";

const carillon = new Carillon({ key: "PUBLIC_KEY", worker: "carillon-worker.js" });
const element = (id) => document.getElementById(id);
const texts = {
  unsupported: "This browser has no push notifications.",
  denied: "Notifications are blocked. You can allow them in your browser's settings.",
  off: "You get no notifications.",
  on: "You get notifications of the topics below.",
};

/** Runs an action, then shows the state. */
async function run(action) {
  element("error").textContent = "";
  element("state").textContent = "One moment …";
  try {
    await action();
  } catch (error) {
    element("error").textContent = error.message;
  }
  await show();
}

async function show() {
  const state = await carillon.state();
  element("state").textContent = texts[state];
  element("enable").disabled = state !== "off";
  element("disable").disabled = state !== "on";
  element("topics").disabled = state !== "on";
}

async function showTopics() {
  const names = (await carillon.topics()).map((topic) => topic.name);
  for (const box of element("topics").querySelectorAll("input")) box.checked = names.includes(box.value);
}

element("enable").addEventListener("click", () => run(async () => {
  await carillon.enable({ topics: ["news"] });
  await showTopics();
}));
element("disable").addEventListener("click", () => run(() => carillon.disable()));
element("topics").addEventListener("change", ({ target }) => run(async () => {
  await (target.checked ? carillon.subscribe(target.value) : carillon.unsubscribe(target.value));
}));
carillon.addEventListener("push", ({ detail }) => {
  const item = document.createElement("li");
  item.textContent = JSON.stringify(detail);
  element("pushes").append(item);
});

await run(async () => {
  if ((await carillon.start()) === "on") await showTopics();
});
