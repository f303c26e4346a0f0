// Sabaki's GTP client lets two engines play a game, analyses in between, and prints what happened as JSON.
// usage: node game.js COMMAND [ARGUMENT…]; the package is found through NODE_PATH
const { Controller, ControllerStateTracker } = require("@sabaki/gtp");

const [command, ...args] = process.argv.slice(2);
const size = 9;
const most = 60;

function vertexOf(text) {
  return text.trim().toUpperCase();
}

// Sabaki's settings engines.analyze_commands and engines.gemove_analyze_commands: the first that the engine lists is used.
const prefixes = ["", "kata-", "lz-"];

async function firstKnown(tracker, name) {
  for (const prefix of prefixes) {
    if (await tracker.knowsCommand(prefix + name)) return prefix + name;
  }
  throw new Error(`no ${name}`);
}

async function analysis(controller, name, colour) {
  const lines = [];
  const running = controller.sendCommand({ name, args: [colour, "10"] }, ({ line }) => {
    if (line.startsWith("info")) lines.push(line);
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const asked = Date.now();
  const answer = await controller.sendCommand({ name: "name" });
  await running;
  return { lines: lines.length, name: answer.content, wait: Date.now() - asked };
}

async function main() {
  const engine = new Controller(command, args);
  const tracker = new ControllerStateTracker(engine);
  engine.start();
  const said = { name: (await engine.sendCommand({ name: "name" })).content };
  said.analyze = await firstKnown(tracker, "analyze");
  said.genmove = await firstKnown(tracker, "genmove_analyze");
  await tracker.sync({ komi: 6.5, boardsize: [size, size], history: [{ name: "play", args: ["B", "E5"] }] });
  said.analysis = await analysis(engine, said.analyze, "W");
  const moves = ["E5"];
  let passes = 0;
  while (passes < 2 && moves.length < most) {
    const colour = moves.length % 2 ? "W" : "B";
    let move = null;
    const response = await engine.sendCommand({ name: said.genmove, args: [colour, "10"] }, ({ line }) => {
      const found = line.match(/^play (.*)$/);
      if (found) move = vertexOf(found[1]);
    });
    if (response.error || move == null) throw new Error(`no move: ${response.content}`);
    if (move === "RESIGN") break;
    moves.push(move);
    passes = move === "PASS" ? passes + 1 : 0;
  }
  said.moves = moves;
  said.tracked = tracker.state.history.length;
  said.refused = (await engine.sendCommand({ name: "play", args: ["B", "Z20"] })).error;
  await tracker.sync({ komi: 0.5, boardsize: [13, 9], history: [{ name: "play", args: ["B", "N9"] }] });
  said.board = (await engine.sendCommand({ name: "query_boardsize" })).content;
  await engine.stop();
  console.log(JSON.stringify(said));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
