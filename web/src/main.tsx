import { render } from "preact";
import "./style.css";
import { App } from "./app";

render(<App />, document.getElementById("page") as HTMLElement);
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("./sw.js").catch(() => undefined);
