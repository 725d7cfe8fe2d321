"""`make bench-check`: `tamp check` over the public domains of tests/public_domains.py and up to 10 problems of each.

Prints every finding but those of the kind named by --hide, and a count of each kind. Exit 1 where it calls a domain
faulty: unified-planning reads them all, so that each error is one to defend.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.public_domains import DOMAINS, PublicDomain

SECONDS = 120.0


def findings(domain: PublicDomain) -> tuple[int, list[dict[str, str]]]:
    """The exit code of `tamp check` and what it found."""
    files = [str(domain.file), *map(str, domain.problems(10))]
    command = [sys.executable, "-c", "from cli.main import main; main()", "check", *files, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, json.loads(done.stdout)["findings"]


def main() -> int:
    parser = argparse.ArgumentParser(description="What tamp check says of public domains.")
    parser.add_argument("--hide", nargs="*", default=[], metavar="CODE")
    hidden = set(parser.parse_args().hide)
    counts: Counter[str] = Counter()
    wrong = 0
    for domain in DOMAINS:
        code, found = findings(domain)
        wrong += code != 0
        counts.update(f["code"] for f in found)
        for f in found:
            if f["code"] not in hidden:
                sys.stdout.write(f"{domain.name}: {Path(f['file']).name}:{f['line']}: {f['code']} {f['message']}\n")
    problems = sum(len(d.problems(10)) for d in DOMAINS)
    told = ", ".join(f"{n} {code}" for code, n in counts.most_common())
    sys.stdout.write(f"{len(DOMAINS)} domains, {problems} problems: {wrong} with errors; {told}\n")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
