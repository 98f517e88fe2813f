#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""truth.py times|loss VITRINE FILE [SAID LOST]: hold the reports on a recording against each other.

times: compute from "print --json" how long each thread was in each state, in another way than
the command does, and compare with "latency --json".
loss: the number of lost records is the same in each report, and in SAID, what "vitrine record"
said, whose switches and bytes are those of the file; LOST is what the kernel counted.

Prints what differs; exits with 0 if nothing does."""
import collections, json, os, re, subprocess, sys, tempfile

how, vitrine, path = sys.argv[1:4]
bad = []


def run(*args):
    return subprocess.run([vitrine, *args], check=True, capture_output=True, text=True).stdout


def differ(what, expected, seen):
    if expected != seen:
        bad.append(f"{what}: {expected} expected, {seen} seen")


class Thread:
    """The turns of a thread on CPUs as [begin, end, state after], and when it was woken.

    A time is (nanoseconds, number of the record): records of different CPUs may have equal times."""
    def __init__(self):
        self.turns, self.wakeups = [], []


def read_threads(records):
    """Pair each switch to a thread with the next switch on the same CPU, which is from it."""
    threads, running = collections.defaultdict(Thread), {}
    for number, record in enumerate(records):
        now = record["time_ns"], number
        if record["kind"] == "wakeup":
            threads[record["thread"]["tid"]].wakeups.append(now)
        elif record["kind"] == "switch":
            tid, cpu = record["out"]["tid"], record["cpu"]
            if tid and tid == running.get(cpu):
                threads[tid].turns[-1][1:] = [now, record["state"]]
            elif tid:
                threads[tid].turns.append([None, now, record["state"]])
            running[cpu] = tid = record["in"]["tid"]
            if tid:
                threads[tid].turns.append([now, None, None])
    return threads


asleep = {"blocked": "blocked", "suspended": "stopped", "dead": "dead", "dying": "dead"}


def states(thread, known_ns, end_ns):
    """Return the time in each state. What began before known_ns and is no turn is unknown."""
    spent, last_time = collections.Counter(), (end_ns, float("inf"))

    def spend(state, begin, end):
        spent[state] += end[0] - begin[0]

    def wait(state, begin, end):
        spend("unknown" if begin[0] < known_ns else state, begin, end)

    wakeups = sorted(thread.wakeups)
    turns = thread.turns + [[last_time, last_time, None]] * (not thread.turns or thread.turns[-1][1] is not None)
    last, state = None, None      # end of the last turn, and state after it
    for begin, end, after in turns:
        start = end if begin is None else begin
        woken = [ns for ns in wakeups if ns <= start and (last is None or ns >= last)]
        wakeups = [ns for ns in wakeups if ns > start]
        if begin is None:         # it ran when its CPU became known: when it began is not
            if woken and last is not None and state != "runnable":
                wait(asleep[state], last, woken[0])
            since = woken[0] if woken and state != "runnable" else last
            if since is not None:
                spend("unknown", since, end)
        elif last is None:
            if woken:
                wait("woken", woken[0], begin)
        elif state == "runnable":
            wait("preempted", last, begin)
        else:
            since = woken[0] if woken else begin
            wait(asleep[state], last, since)
            wait("woken", since, begin)
        if begin is not None:
            spend("running", begin, last_time if end is None else end)
        last, state = end, after
    return spent


def check_times():
    records = [json.loads(line) for line in run("print", "--json", path).splitlines()]
    report = json.loads(run("latency", "--json", path))
    known_ns = max((cpu["before_ns"] for cpu in report["unknown"]), default=0)
    threads = read_threads(records)
    for row in report["threads"]:
        tid = row["thread"]["tid"]
        spent = states(threads[tid], known_ns, report["end_ns"])
        for state in "unknown", "running", "woken", "preempted", "blocked", "stopped":
            differ(f"thread {tid}: {state}_ns", spent[state], row[state + "_ns"])


def check_loss():
    check = json.loads(run("check", "--json", path))[0]
    latency = json.loads(run("latency", "--json", path))
    differ("latency: lost", check["lost"], latency["lost"])
    printed = [json.loads(line) for line in run("print", "--json", path).splitlines()]
    switches = [r for r in printed if r["kind"] == "switch"]
    differ("print: switches", check["switches"], len(switches))
    # Where threads were left out, latency counts the switches from and to the others.
    names = [{r[side].get("name") for side in ("out", "in")} for r in switches]
    if any("not recorded" in both for both in names):
        names = [both for both in names if both - {"not recorded", "idle"}]
    differ("latency: switches", len(names), latency["switches"])
    if not check["lost"]:
        differ("latency: gaps", 0, latency["gaps"])
        differ("print: lost records", 0, sum(r["kind"] == "lost" for r in printed))
        for words in (("latency", path), ("why", path)):
            if re.search(r"[1-9]\d* (gaps?|records? lost)", run(*words)):
                bad.append(f"{' '.join(words)}: tells of a loss, and nothing was lost")
    for name in "flame.html", "timeline.html", "flame.svg", "timeline.svg":
        with tempfile.TemporaryDirectory() as there:
            page = os.path.join(there, name)
            run(name.split(".")[0], path, "-o", page)
            with open(page) as drawn:
                told = re.findall(r"(\d+) records lost", drawn.read())
            differ(f"{name}: lost", [check["lost"]] if check["lost"] else [], [int(nr) for nr in set(told)])
    if len(sys.argv) > 4:
        with open(sys.argv[4]) as file:
            said = file.read()
        chosen = re.search(r"(\d+) bytes, chosen from ", said)
        counts = re.search(r"(\d+) switches on (\d+) CPUs?, (\d+) bytes, (\d+) (?:records )?lost", said)
        if chosen:
            differ("record: bytes", os.path.getsize(path), int(chosen[1]))
        else:
            differ("record: switches, CPUs, bytes", [check["switches"], check["cpus"], os.path.getsize(path)],
                   [int(nr) for nr in counts.groups()[:3]])
        differ("record: lost", check["lost"], int(counts[4]))
        with open(sys.argv[5]) as file:
            differ("the kernel: lost", check["lost"], int(file.read()))


{"times": check_times, "loss": check_loss}[how]()
if bad:
    print(*bad[:40], sep="\n")
sys.exit(bool(bad))
