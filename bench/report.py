"""Makes report.md, report.json and one SVG plot for each table from what bench/run measured.

    report.py BUILD COMPILER...        BUILD/COMPILER/{times,counts,instructions}.json are read
"""
import datetime
import html
import json
import os
import platform
import re
import subprocess
import sys


# ---- reading

def load(path):
    try:
        with open(path) as file:
            return json.load(file)
    except FileNotFoundError:
        return None


class Results:
    """What one compiler's programs measured: cases[group][name] is a dict of figures."""

    def __init__(self, folder):
        self.groups, self.cases = [], {}
        times = load(f"{folder}/times.json")
        self.compiler, self.quick = times["compiler"], times["quick"]
        for group in times["groups"]:
            self.groups.append(group)
            self.cases[group["name"]] = {case["name"]: dict(case) for case in group["cases"]}
        for group in (load(f"{folder}/counts.json") or {"groups": []})["groups"]:
            for case in group["cases"]:
                self.case(group["name"], case["name"]).update(case)
        for row in load(f"{folder}/instructions.json") or []:
            for group in self.cases:
                name = row["case"][len(group) + 1:]
                if row["case"].startswith(group + "/") and name in self.cases[group]:
                    self.cases[group][name].update(row)

    def case(self, group, name):
        return self.cases.get(group, {}).get(name, {})

    def figure(self, group, name, key):
        return self.case(group, name).get(key)


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        return ""


def machine():
    cpu = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    versions = output("dpkg-query", "-W", "-f", "${Package} ${Version}, ", "libprotobuf-dev",
                      "libprotobuf-c-dev", "libflatbuffers-dev", "libcapnp-dev")
    return {
        "date": datetime.date.today().isoformat(),
        "processor": cpu.group(1) if cpu else platform.processor(),
        "processors": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libraries": versions.rstrip(", "),
        "flags": "-O2 -DNDEBUG, for yaff's users also -mpopcnt",
        "load": round(os.getloadavg()[0], 2),
    }


# ---- goals: (what, group, case, versus, limit): at most `limit` times as long as `versus` takes

HOT, WIRE = "read/hierarchical/hot/", "wire/"
RAW = "raw structs linked by pointers"
PB_IN, PB_OUT, YAFF_IN = "protobuf C++, object reused", "protobuf C++", "yaff, builder reused"
FLAT = ["yaff Flat", "yaff Dynamic stored flat"]
RATIO_GOALS = (
    [("hierarchical hot", HOT + "chain", c, RAW, 1.10) for c in FLAT]
    + [("hierarchical hot, a store between the reads", HOT + "chain-store", c, RAW, 1.25)
       for c in FLAT]
    + [("the same", HOT + "chain-store", c + ", immutable views", RAW, 1.10) for c in FLAT]
    + [("hierarchical hot, a store after every read", HOT + "chain-stores", c, RAW, 1.25)
       for c in FLAT]
    + [("the same", HOT + "chain-stores", c + ", immutable views", RAW, 1.10) for c in FLAT]
    + [("hierarchical hot", HOT + "chain", c, RAW, 1.9)
       for c in ("yaff Sparse", "yaff Dynamic stored sparse")]
    + [("hierarchical cold", "read/hierarchical/cold/chain",
        "yaff Dynamic stored flat, opened by view()", RAW, 0.75)]
    + [("flat fields", "read/flat/" + n, c, "raw struct", 1.5)
       for n in ("10", "100") for c in ("yaff Flat", "yaff Dynamic")]
    + [("hierarchical hot", HOT + "chain", c, "FlatBuffers", 1 / 2.5) for c in FLAT]
    + [("wire in", WIRE + "in/descriptors", YAFF_IN, PB_IN, 0.55),
       ("wire out", WIRE + "out/descriptors", "yaff", PB_OUT, 0.6),
       ("wire in", WIRE + "in/items", YAFF_IN, PB_IN, 0.85),
       ("wire out", WIRE + "out/items", "yaff", PB_OUT, 0.75),
       ("wire in", WIRE + "in/strings", YAFF_IN, PB_IN, 0.4),
       ("wire out", WIRE + "out/strings", "yaff", PB_OUT, 0.45)]
    + [goal for shape in ("api", "log", "event", "media", "columns") for goal in (
        ("wire in", WIRE + "in/" + shape, YAFF_IN, "protobuf-c", 1 / 4),
        ("wire in", WIRE + "in/" + shape, YAFF_IN, PB_IN, 1),
        ("wire out", WIRE + "out/" + shape, "yaff", "protobuf-c, its size first", 1 / 3),
        ("wire out", WIRE + "out/" + shape, "yaff", PB_OUT, 1))]
    + [("verify", "verify/" + g, "yaff", "FlatBuffers", 1 / 2)
       for g in ("feed-10", "feed-1000", "hierarchical")]
)
# (what, group, case, figure, limit, whether more is better)
FIGURE_GOALS = [
    ("instructions per byte in", WIRE + "in/descriptor.proto", YAFF_IN, "per_byte", 12.5, False),
    ("instructions per byte out", WIRE + "out/descriptor.proto", "yaff", "per_byte", 7.2, False),
    ("GB/s", "utf8/ascii-1024", "yaff", "gb_per_s", 12, True),
    ("GB/s", "utf8/cyrillic-1024", "yaff", "gb_per_s", 3, True),
    ("GB/s", "utf8/ascii-64", "yaff", "gb_per_s", 4, True),
] + [("allocations in", WIRE + "in/" + shape, YAFF_IN, "mallocs", 0, False)
     for shape in ("api", "log", "event", "media", "columns", "strings", "items", "descriptors")]


def goal_row(what, limit, figures, good, texts=None):
    """One row of the table, or None when nobody measured it; `good` judges a figure."""
    known = [f for f in figures if f is not None]
    if not known:
        return None
    texts = texts or ["-" if f is None else f"{f:.2f}" for f in figures]
    return [what, limit] + texts + ["yes" if all(good(f) for f in known) else "**no**"]


def goals(results):
    rows = []
    for what, group, case, versus, limit in RATIO_GOALS:
        figures, texts = [], []
        for r in results:
            mine, other = r.case(group, case), r.case(group, versus)
            if mine and other:
                figures.append(mine["ratio"] / other["ratio"])
                texts.append(f"{figures[-1]:.2f} ({mine['min_ns'] / other['min_ns']:.2f})")
            else:
                figures.append(None)
                texts.append("-")
        rows.append(goal_row(f"{what}: {group}, {case} / {versus}", f"<= {limit:.2f}", figures,
                             lambda f: f <= limit, texts))
    for what, group, case, key, limit, more in FIGURE_GOALS:
        rows.append(goal_row(f"{what}: {group}, {case}", f"{'>=' if more else '<='} {limit}",
                             [r.figure(group, case, key) for r in results],
                             lambda f: f >= limit if more else f <= limit))
    rows.extend(size_goals(results))
    return [row for row in rows if row]


def size_goals(results):
    worst = {"alone": [], "in a list": [], "Dynamic": []}
    for r in results:
        facts = [f for g in r.groups if g["name"] == "size" for f in g["facts"]]
        table = {(f["row"], f["column"]): f["value"] for f in facts}
        for key in worst:
            worst[key].append(None)
        for row in {f["row"] for f in facts}:
            dynamic = table[row, "yaff Dynamic"]
            best = min(table[row, "yaff Flat"], table[row, "yaff Sparse"])
            worst["Dynamic"][-1] = max(worst["Dynamic"][-1] or 0, dynamic / best)
            if (row, "FlatBuffers") in table:
                key = "alone" if row.endswith("alone") else "in a list"
                best = min(best, dynamic)
                worst[key][-1] = max(worst[key][-1] or 0, best / table[row, "FlatBuffers"])
    return [
        goal_row("size: worst row alone, yaff's best layout / FlatBuffers", "< 1", worst["alone"],
                 lambda f: f < 1),
        goal_row("size: worst row in a list, yaff's best layout / FlatBuffers", "<= 1.07",
                 worst["in a list"], lambda f: f <= 1.07),
        goal_row("size: worst row, Dynamic / min(Flat, Sparse)", "<= 1.25", worst["Dynamic"],
                 lambda f: f <= 1.25),
    ]


# ---- writing

def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def short(value):
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def case_table(name, results):
    """A row per case: for each compiler its times and instructions, then allocations."""
    cases = [r.cases.get(name, {}) for r in results]
    names = list(dict.fromkeys(n for c in cases for n in c))
    columns = []  # (heading, figure)
    for r, c in zip(results, cases):
        columns += [(f"{r.compiler} min ns", c, "min_ns"), ("median ns", c, "median_ns"),
                    ("x", c, "ratio")]
        rate = "ns_per_byte" if name.startswith(("wire", "repeated")) else "gb_per_s"
        columns.append(("ns/byte" if rate == "ns_per_byte" else "GB/s", c, rate))
        columns.append(("instructions/byte", c, "per_byte"))
    columns += [("allocations", cases[0], "mallocs"), ("reallocations", cases[0], "reallocs"),
                ("bytes asked for", cases[0], "bytes_asked")]
    columns = [(heading, c, key) for heading, c, key in columns
               if any(c.get(n, {}).get(key) is not None for n in names)]
    rows = [[n] + [short(c.get(n, {}).get(key)) for _, c, key in columns] for n in names]
    return table(["case"] + [heading for heading, _, _ in columns], rows)


COLORS = ["#3b6ea5", "#d98032", "#5a9e5a", "#b04a4a", "#7a5aa0", "#888888"]


def bars(path, title, unit, rows, series, line=None):
    """A plot of horizontal bars: rows are (label, [a value per series or None])."""
    left, width, bar, gap, top = 330, 420, 11, 8, 50
    largest = max([v for _, values in rows for v in values if v] + [line or 0]) or 1
    # One very slow row must not flatten all others: bars end at four times the median.
    middle = sorted(v for _, values in rows for v in values if v)
    scale_to = min(largest, 4 * middle[len(middle) // 2]) if middle else 1
    x = lambda v: left + width * min(v, scale_to) / scale_to
    height = top + sum(len(series) * bar + gap for _ in rows) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 90}" height="{height}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="18" font-size="14">{html.escape(title)} ({html.escape(unit)})</text>']
    for i, name in enumerate(series):
        at, color = 10 + i * 130, COLORS[i % 6]
        out.append(f'<rect x="{at}" y="28" width="10" height="10" fill="{color}"/>'
                   f'<text x="{at + 14}" y="37">{html.escape(name)}</text>')
    y = top
    for label, values in rows:
        out.append(f'<text x="{left - 6}" y="{y + len(series) * bar / 2 + 4}" text-anchor="end">'
                   f'{html.escape(label)}</text>')
        for i, value in enumerate(values):
            if value is not None:
                out.append(f'<rect x="{left}" y="{y}" width="{x(value) - left:.1f}" '
                           f'height="{bar - 1}" fill="{COLORS[i % 6]}"/>'
                           f'<text x="{x(value) + 4:.1f}" y="{y + 9}">{value:.2f}'
                           f'{" &gt;" if value > scale_to else ""}</text>')
            y += bar
        y += gap
    if line:
        out.append(f'<line x1="{x(line):.1f}" x2="{x(line):.1f}" y1="{top - 4}" y2="{y}" '
                   'stroke="black" stroke-dasharray="3,3"/>')
    with open(path, "w") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


def fact_tables(build, group):
    """A table and plot per kind of message, alone and in a list: densities by formats."""
    parts = {}
    for fact in group["facts"]:
        message, density, place = fact["row"].split(", ")
        rows = parts.setdefault((message, place), {})
        rows.setdefault(density, {})[fact["column"]] = fact["value"]
    text = []
    for (message, place), rows in parts.items():
        formats = list(dict.fromkeys(f for row in rows.values() for f in row))
        name = f"size {message} {place}".replace(" ", "-")
        bars(f"{build}/{name}.svg", f"{message}, {place}", "bytes per message",
             [(density, [row.get(f) for f in formats]) for density, row in rows.items()], formats)
        text += [f"**{message}, {place}** ([plot]({name}.svg))", "",
                 table(["present"] + formats,
                       [[density] + [f"{row[f]:.1f}" if f in row else "-" for f in formats]
                        for density, row in rows.items()]), ""]
    return text


EXPLANATION = """\
Cases of one table ran in turn, round after round. `min` and `median` are over the rounds; `x` is
the median of the ratios to the first case of the same round. Less is better unless it says GB/s.
Every case's answer was checked. Other libraries are as the distribution builds them; the code they
generate is compiled here, with the same compiler and flags."""


def main():
    build, names = sys.argv[1], sys.argv[2:]
    results = [Results(f"{build}/{name}") for name in names]
    for r in results:  # rates, from the least time
        for cases in r.cases.values():
            for case in cases.values():
                if case.get("bytes") and case.get("min_ns"):
                    case["ns_per_byte"] = case["min_ns"] / case["bytes"]
                    case["gb_per_s"] = case["bytes"] / case["min_ns"]
    about = machine()
    about["compilers"] = ", ".join(r.compiler for r in results)

    text = ["# yaff, measured", ""]
    if any(r.quick for r in results):
        text += ["**A quick look: short rounds and small cold data. Not a result.**", ""]
    text += [f"{key}: {value}  " for key, value in about.items()]
    text += ["", EXPLANATION, "", "## Goals", "",
             "Of two cases: the ratio of the median ratios; in brackets that of the least times.", "",
             table(["goal", "limit"] + [r.compiler for r in results] + ["met"], goals(results))]
    for group in results[0].groups:
        name = group["name"]
        text += ["", f"## {name}", "", group["note"], ""]
        if group["cases"]:
            rows = [(n, [r.figure(name, n, "ratio") for r in results])
                    for n in results[0].cases[name]]
            plot = name.replace("/", "-") + ".svg"
            bars(f"{build}/{plot}", name, "x the first", rows, [r.compiler for r in results], 1)
            text += [case_table(name, results), "", f"[plot]({plot})"]
        if group["facts"]:
            text += fact_tables(build, group)
    with open(f"{build}/report.md", "w") as file:
        file.write("\n".join(text) + "\n")
    with open(f"{build}/report.json", "w") as file:
        json.dump({"machine": about, "compilers": {
            name: {"compiler": r.compiler, "groups": r.groups, "cases": r.cases}
            for name, r in zip(names, results)}}, file, indent=1)


main()
