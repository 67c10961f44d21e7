#!/usr/bin/env python3
"""Counts what a team should never do, from the event log and the results of a match on the virtual clock.

    klotz arena … -clock virtual -eventlog match.log -json match.json
    pathologies.py match.log match.json [SIDE]

SIDE is the engine to look at (default: all). Exits with 1 if a limit of docs/team-play.md is broken.
"""

import collections
import json
import sys

SEATS = ["WhiteA", "BlackA", "WhiteB", "BlackB"]
PARTNER = {"WhiteA": "BlackB", "BlackB": "WhiteA", "BlackA": "WhiteB", "WhiteB": "BlackA"}
OPPONENT = {"WhiteA": "BlackA", "BlackA": "WhiteA", "WhiteB": "BlackB", "BlackB": "WhiteB"}
# Partners who both put off a move for so long stand in each other's way.
DEADLOCK = 10.0
# Between two words of a seat.
PAUSE = 3.0
# A wish that no longer holds is taken back, or another takes its place, or it is fulfilled, in this time.
STALE = 25.0


def games(path):
    game = None
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[:1] == ["game"] and "crc32" not in words:
            if game:
                yield game
            game = (words[2:6], [])
        elif game and words and words[0].isdigit():
            game[1].append((int(words[0]) / 1e6, words[1:]))
    if game:
        yield game


def main():
    log, results = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
    side = sys.argv[3] if len(sys.argv) > 3 else None
    found = results["games"]
    found = sorted(found.values() if isinstance(found, dict) else found, key=lambda game: game["index"])
    count = collections.Counter()
    shortest_pause, longest_both = None, 0.0
    for (names, events), result in zip(games(log), found):
        count["matches"] += 1
        name = dict(zip(SEATS, names))
        ours = [seat for seat in SEATS if side in (None, name[seat])]
        putting_off, last_word, wishes = {}, {}, {}
        last_move = {seat: 0.0 for seat in SEATS}
        deadlocked = False
        for at, words in events:
            kind, seat = words[0], words[1] if len(words) > 1 else None
            if kind == "wait":
                putting_off.setdefault(seat, at)
            elif kind == "move":
                putting_off.pop(seat, None)
                last_move[seat] = at
                # The piece that was asked for may have come.
                wishes.pop(PARTNER[seat], None)
            elif kind == "talk" and seat in ours:
                count["words"] += 1
                if seat in last_word:
                    pause = at - last_word[seat]
                    shortest_pause = pause if shortest_pause is None else min(pause, shortest_pause)
                    count["words too soon"] += pause < PAUSE - 1e-6
                last_word[seat] = at
                text = words[2] if len(words) > 2 else ""
                count["taken back"] += text == "x"
                if text.startswith(("+++", "---")):
                    wishes[seat] = at
                    count["strong wishes"] += 1
                else:
                    wishes.pop(seat, None)
            for seat in [seat for seat, since in wishes.items() if at - since > STALE]:
                wishes.pop(seat)
                count["strong wishes never taken back"] += 1
            for one in ours:
                other = PARTNER[one]
                if one in putting_off and other in putting_off:
                    both = at - max(putting_off[one], putting_off[other])
                    longest_both = max(longest_both, both)
                    if both > DEADLOCK and not deadlocked:
                        deadlocked = True
                        count["both partners sat for 10 s"] += 1
        loser = result["seat"]
        if result["termination"] == "time forfeit" and loser in ours:
            could = result["detail"] != "no move was possible"
            count["lost on time"] += 1
            count["lost on time with a move"] += could
            count["lost on time with a move, without having sat"] += could and loser not in putting_off
    for key in ["matches", "lost on time", "lost on time with a move",
                "lost on time with a move, without having sat", "both partners sat for 10 s", "words",
                "words too soon", "strong wishes", "taken back", "strong wishes never taken back"]:
        print(f"{count[key]:7} {key}")
    print(f"{longest_both:7.1f} s: the longest both partners sat")
    if shortest_pause is not None:
        print(f"{shortest_pause:7.1f} s: the shortest pause between two words of a seat")
    broken = ["words too soon", "both partners sat for 10 s", "lost on time with a move"]
    return 1 if any(count[key] for key in broken) else 0


if __name__ == "__main__":
    sys.exit(main())
