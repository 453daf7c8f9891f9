"""Wrong input to a platform, and what is to come of it: exit code 2, one line that names place and
remedy, and no file made or changed."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import stat
import subprocess
from typing import Callable, NamedTuple, Optional

NOBODY = 65534
LIMIT = 400  # characters of a message
PLACE = re.compile(r'railyard: (--?[\w-]|command line: |\S*?\.(yaml|csv)|\S*/|n{100})')
OUTPUTS = ('--report', 'r.json', '--trace', 't.fst', '--pcap', 'p.pcapng', '--timeline', 't.json')


class Mutant(NamedTuple):
    name: str
    config: Optional[bytes] = None  # what c.yaml holds; None: the good configuration
    arguments: tuple = ()           # behind --config c.yaml
    command: Optional[tuple] = None  # the whole command line, instead
    place: str = ''                 # what the message begins with
    says: tuple = ()                # what it holds besides
    prepare: Callable = lambda folder: None  # makes files in the working folder
    ordinary_user: bool = False     # not root, who may read and write everything


def snapshot(folder):
    """Names, kinds and contents of all that is in a folder; of a large file its size."""
    found = {}
    for path in sorted(folder.rglob('*')):
        status = path.lstat()
        small = stat.S_ISREG(status.st_mode) and status.st_size < 10**6 and os.access(path, os.R_OK)
        found[str(path)] = (status.st_mode, status.st_size, path.read_bytes() if small else None)
    return found


class Bench:
    """Runs a platform in folders of their own; `good` is what a mutant without a configuration
    uses."""

    def __init__(self, executable, good, folder):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)
        # A copy, since an ordinary user may not reach the folder of the build.
        self.program = shutil.copy(executable, self.folder / 'platform')
        self.good = good

    def run(self, number, mutant):
        """The folder's state before and after, and what came of the run."""
        folder = self.folder / str(number)
        folder.mkdir()
        folder.chmod(0o777)
        config = self.good.encode() if mutant.config is None else mutant.config
        (folder / 'c.yaml').write_bytes(config)
        mutant.prepare(folder)
        before = snapshot(folder)
        arguments = mutant.command or ('--config', 'c.yaml', *mutant.arguments)
        if mutant.config is not None:
            arguments += OUTPUTS
        user = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
        done = subprocess.run([self.program, *arguments], cwd=folder, capture_output=True,
                              timeout=20, stdin=subprocess.DEVNULL, check=False,
                              **(user if mutant.ordinary_user and os.getuid() == 0 else {}))
        after = snapshot(folder)
        shutil.rmtree(folder, ignore_errors=True)  # one may be closed to us
        return before, after, done


def faults(mutant, before, after, done):
    """What is wrong with a refusal."""
    message = done.stderr.decode('latin-1')
    if done.returncode != 2:
        yield f'exit code {done.returncode}'
    if done.stdout:
        yield f'stdout: {done.stdout[:200]}'
    if not message.endswith('\n') or message.count('\n') != 1:
        yield 'not one line'
    if not re.fullmatch('[\x20-\x7e]*', message[:-1]):
        yield 'not printable ASCII'
    if len(message) > LIMIT:
        yield f'{len(message)} characters'
    if not PLACE.match(message) or not message.startswith(f'railyard: {mutant.place}'):
        yield f'not placed at {mutant.place or "anything"}'
    if not re.search(r'; \S.{7}', message):
        yield 'no remedy'
    for words in mutant.says:
        if words not in message:
            yield f'does not say: {words}'
    if before != after:
        yield 'made or changed files'


def refused(bench, group, cases):
    """What is wrong with the refusals of a group of mutants, a text each."""
    def check(job):
        number, mutant = job
        try:
            before, after, done = bench.run(f'{group}{number}', mutant)
        except subprocess.TimeoutExpired:
            return f'{mutant.name}: hangs'
        found = list(faults(mutant, before, after, done))
        said = done.stderr[:LIMIT + 200].decode('latin-1')
        return f'{mutant.name}: {", ".join(found)}\n  {said}' if found else ''

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(check, enumerate(cases)) if text]
