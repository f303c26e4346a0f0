import { render } from "preact";
import "@sabaki/shudan/css/goban.css";
import "./style.css";
import { App } from "./app";

render(<App />, document.getElementById("page") as HTMLElement);
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("./sw.js").catch(() => undefined);
