#!/usr/bin/env python3
"""Made feed.txt: a FeedResponse of several hundred varied items in Protobuf text format.

    python3 make_items.py > feed.txt

The result is in the tree; this is here to tell where it came from and to make a larger one (first argument:
number of items). The same arguments always give the same text.
"""
import random
import sys

WORDS = """harbour lantern orbit granite willow cipher meadow copper violin glacier pepper compass river
engine saffron archive puzzle falcon cotton thunder market pollen bridge mosaic""".split()
TITLES = ["Why the {0} needs a {1}", "A {0} for every {1}", "{0}, {1} and {2}", "The last {0}", "{0}?",
          "Über {0} und {1}", "{0} — a {1} story", "「{0}」と{1}", "¿Dónde está el {0}?"]
NAMES = ["Ada Winter", "Bo Lindqvist", "Chiara Rossi", "Dmitri Orlov", "Esi Mensah", "藤井 花", "Gül Aydın",
         "Hana Novák", "Iñigo Sáez", "J"]
TAGS = ["science", "travel", "food", "music", "sport", "art", "tech", "history", "日本", "do-it-yourself"]
LANGUAGES = ["en", "de", "ja", "es", "pt-BR", ""]

rng = random.Random(20240229)


def quoted(text):
    """A string or bytes literal of the text format."""
    data = text if isinstance(text, bytes) else text.encode()
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\%03o" % b for b in data) + '"'


def words(count):
    return " ".join(rng.choice(WORDS) for _ in range(count))


class Text:
    def __init__(self):
        self.depth = 0

    def line(self, name, value):
        print("  " * self.depth + f"{name}: {value}")

    def open(self, name):
        print("  " * self.depth + name + " {")
        self.depth += 1

    def close(self):
        self.depth -= 1
        print("  " * self.depth + "}")


def author(out):
    out.open("author")
    if rng.random() < 0.95:  # now and then an author of whom nothing is known
        number = rng.randrange(len(NAMES))
        out.line("id", 1 << rng.randrange(0, 64) | number)
        out.line("name", quoted(NAMES[number]))
        if number % 3 == 0:
            out.line("verified", "true")
        if rng.random() < 0.8:
            out.line("followers", rng.choice([1, 127, 128, 16384, 4294967295, rng.randrange(10**6)]))
        if rng.random() < 0.3:
            out.line("bio", quoted(rng.choice(["", "Writes about " + words(3) + "."])))
    out.close()


def content(out):
    kind = rng.choice(["article", "video", "photo", "link", "none"])
    if kind == "article":
        out.open("article")
        out.line("words", rng.randrange(5000))
        out.line("language", quoted(rng.choice(LANGUAGES)))
        out.close()
    elif kind == "video":
        out.open("video")
        if rng.random() < 0.9:
            out.line("seconds", rng.randrange(7200))
        for i in range(rng.choice([0, 0, 1, 3, 8])):
            out.line("chapters", i * 61.25)
        if rng.random() < 0.2:
            out.line("live", "true")
        out.close()
    elif kind == "photo":
        out.open("photo")
        out.line("latitude_e6", rng.randrange(-90 * 10**6, 90 * 10**6))
        out.line("longitude_e6", rng.randrange(-180 * 10**6, 180 * 10**6))
        out.line("blurhash", quoted(rng.randbytes(rng.choice([0, 6, 20, 28]))))
        out.close()
    elif kind == "link":
        out.line("link_url", quoted("https://example.org/" + words(2).replace(" ", "/")))
    names = {"article": "KIND_ARTICLE", "video": "KIND_VIDEO", "photo": "KIND_PHOTO", "link": "KIND_LINK",
             "none": "KIND_UNKNOWN"}
    if rng.random() < 0.8:
        out.line("kind", names[kind])


def item(out, field, level):
    out.open(field)
    out.line("id", rng.randrange(1, 1 << rng.choice([7, 20, 40, 64])))
    out.line("title", quoted(rng.choice(TITLES).format(*rng.sample(WORDS, 3))))
    if rng.random() < 0.6:
        out.line("summary", quoted(words(rng.choice([1, 12, 40])) + "."))
    if rng.random() < 0.93:
        author(out)
    for tag in rng.sample(TAGS, rng.choice([0, 1, 1, 2, 3, 5])):
        out.line("tags", quoted(tag))
    out.line("published_ms", 1700000000000 + rng.randrange(-10**10, 10**10))
    if rng.random() < 0.95:
        out.line("score", round(rng.random(), 6))
    for name in rng.sample(["ctr", "dwell", "freshness", "similarity"], rng.randrange(5)):
        out.open("features")
        out.line("key", quoted(name))
        out.line("value", round(rng.gauss(0, 1), 4))
        out.close()
    content(out)
    for _ in range(rng.choice([0, 0, 0, 2, 7])):
        out.line("related", rng.randrange(1 << rng.choice([7, 33, 64])))
    if rng.random() < 0.15:
        out.line("sponsored", "true")
    if rng.random() < 0.25:
        out.line("boost", rng.choice([0, 1, -1, 64, -65, 2147483647, -2147483648]))
    for code in rng.sample([1, 2, 3, 5, 8, 300, 70000], rng.choice([0, 0, 1, 3])):
        out.open("reactions")
        out.line("key", code)
        out.open("value")
        if rng.random() < 0.9:
            out.line("count", rng.randrange(1 << rng.choice([3, 14, 35])))
            out.line("last_user", rng.randrange(1 << 64))
        out.close()
        out.close()
    if level < 3:
        for _ in range(rng.choice([0, 0, 0, 0, 1, 2])):
            item(out, "replies", level + 1)
    out.close()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    out = Text()
    print("# A FeedResponse in Protobuf text format, made by make_items.py.")
    out.line("request_id", quoted("req-7f3a"))
    out.line("user_id", 0xDEADBEEF12345678)
    for _ in range(count):
        item(out, "items", 0)
    out.line("next_page_token", quoted("page-2"))
    out.line("server_time_ms", 1700000123456)
    for number in [0, -1, 1, -9223372036854775808, 9223372036854775807]:
        out.line("experiment_ids", number)


main()
