"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const seats = ["WhiteA", "BlackA", "WhiteB", "BlackB"];
  const glyphs = { k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };
  const base = Object.fromEntries(data.base);
  if (!data.games.length) { at("replay").textContent = "No game was played."; return; }

  // "rows[hands] turn …" as squares and hands.
  const board = (fen) => {
    const [place, turn] = fen.trim().split(" ");
    const open = place.indexOf("[");
    const rows = open < 0 ? place : place.slice(0, open);
    const hands = open < 0 ? "" : place.slice(open + 1, place.indexOf("]"));
    const squares = [];
    for (const c of rows) {
      if (c >= "1" && c <= "8") for (let i = 0; i < +c; i++) squares.push("");
      else if (c !== "/" && c !== "~") squares.push(c);
    }
    const of = (test) => [...hands].filter(test).join("");
    return { squares, turn, hands: [of((c) => c < "a"), of((c) => c >= "a")] };
  };

  let game, states, ply = 0, timer = null;

  const build = () => {
    const count = data.double ? 2 : 1;
    const start = game.start.split("|");
    let now = { boards: start.slice(0, count).map(board), clocks: game.names.map((n) => base[n] ?? null), last: [null, null] };
    states = [now];
    for (const [seat, , , left, fen, hands] of game.moves) {
      const b = data.double ? seat >> 1 : 0;
      const boards = now.boards.slice(), clocks = now.clocks.slice(), last = now.last.slice();
      const next = board(fen);
      last[b] = next.squares.map((c, i) => c !== boards[b].squares[i]);
      boards[b] = next;
      if (hands) boards[1 - b] = { ...boards[1 - b], hands };
      clocks[seat] = left;
      now = { boards, clocks, last };
      states.push(now);
    }
  };

  const time = (ms) => {
    if (ms === null) return "";
    const tenths = Math.max(0, Math.floor(ms / 100));
    return `${Math.floor(tenths / 600)}:${String(Math.floor(tenths / 10) % 60).padStart(2, "0")}.${tenths % 10}`;
  };
  const make = (tag, cls, text) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const piece = (c) => make("span", c < "a" ? "white" : "black", glyphs[c.toLowerCase()] ?? "");

  const player = (state, b, color) => {
    const seat = 2 * b + color, box = make("div");
    const line = make("div", "player" + (state.boards[b].turn === "wb"[color] ? " turn" : ""));
    const name = data.double ? `${seats[seat]}: ${game.names[seat]}` : game.names[seat];
    line.append(make("span", "name", name), make("span", "time", time(state.clocks[seat])));
    const hand = make("div", "hand");
    for (const c of state.boards[b].hands[color]) hand.append(piece(c));
    box.append(line, hand);
    return box;
  };

  const show = () => {
    const state = states[ply], all = at("boards");
    all.replaceChildren();
    state.boards.forEach((position, b) => {
      const turned = b === 1, table = make("div", "table"), grid = make("div", "board");
      grid.setAttribute("role", "img");
      grid.setAttribute("aria-label", `board ${"AB"[b]}`);
      for (let i = 0; i < 64; i++) {
        const s = turned ? 63 - i : i;
        const cell = make("div", "square " + (((s >> 3) + s) % 2 ? "dark" : "light"));
        if (state.last[b] && state.last[b][s]) cell.classList.add("last");
        if (position.squares[s]) cell.append(piece(position.squares[s]));
        grid.append(cell);
      }
      table.append(player(state, b, turned ? 0 : 1), grid, player(state, b, turned ? 1 : 0));
      all.append(table);
    });
    at("ply").value = ply;
    at("moves").querySelectorAll("button").forEach((e, i) => e.classList.toggle("now", i === ply - 1));
    const now = at("moves").querySelector(".now");
    if (now) at("moves").scrollTop = now.offsetTop - at("moves").offsetTop - 60;
    const who = game.seat ? `${game.seat}: ` : "";
    const end = `${game.result} (${who}${game.end}${game.detail ? ", " + game.detail : ""})`;
    const notes = game.notes.length ? ` Incidents: ${game.notes.join("; ")}` : "";
    at("said").textContent = (ply === 0 ? "Start" : `Move ${ply} of ${game.moves.length}`) + `. ${end}.${notes}`;
  };

  const go = (n) => { ply = Math.max(0, Math.min(states.length - 1, n)); show(); };
  const stop = () => { clearInterval(timer); timer = null; at("play").textContent = "▶ play"; };
  const play = () => {
    if (timer) return stop();
    if (ply === states.length - 1) go(0);
    at("play").textContent = "■ stop";
    timer = setInterval(() => { go(ply + 1); if (ply === states.length - 1) stop(); }, 600);
  };

  const open = (i) => {
    stop();
    game = data.games[i];
    build();
    at("ply").max = states.length - 1;
    const moves = at("moves");
    moves.replaceChildren();
    game.moves.forEach(([seat, san], n) => {
      const letter = data.double ? `${"AaBb"[seat]}. ` : "";
      const e = make("button", seat > 1 ? "b" : "", letter + san);
      e.onclick = () => { stop(); go(n + 1); };
      moves.append(e);
    });
    go(0);
  };

  const team = (one, two) => (one === two ? one : `${one} + ${two}`);
  const sides = (g) => data.double
    ? `${team(g.names[0], g.names[3])} – ${team(g.names[1], g.names[2])}`
    : `${g.names[0]} – ${g.names[1]}`;
  // The games of one player, or all; in a long tournament nobody finds his game otherwise.
  const list = (who) => {
    at("game").replaceChildren();
    data.games.forEach((g, i) => {
      if (who && !g.names.includes(who)) return;
      const e = make("option", "", `${g.n}. ${sides(g)}  ${g.result}  ${g.end}`);
      e.value = i;
      at("game").append(e);
    });
    open(+at("game").value);
  };
  at("who").append(make("option", "", "everyone"), ...data.base.map(([name]) => make("option", "", name)));
  at("who").options[0].value = "";
  at("who").onchange = (e) => list(e.target.value);
  at("game").onchange = (e) => open(+e.target.value);
  at("first").onclick = () => { stop(); go(0); };
  at("back").onclick = () => { stop(); go(ply - 1); };
  at("next").onclick = () => { stop(); go(ply + 1); };
  at("last").onclick = () => { stop(); go(states.length - 1); };
  at("play").onclick = play;
  at("ply").oninput = (e) => { stop(); go(+e.target.value); };
  at("replay").addEventListener("keydown", (e) => {
    if (e.target.tagName === "SELECT" || e.target.tagName === "INPUT") return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (step) { e.preventDefault(); stop(); go(ply + step); }
  });
  list("");
})();
