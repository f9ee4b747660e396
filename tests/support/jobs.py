"""Jobs of tasks, run on command lines."""

import argparse
import json

from gapless.cli import Console


def run_job(job, options, capsys, asked, *, as_json=True, verbose=False):
    """Return the exit code of a job, what it printed (its document where that is JSON) and its complaints."""
    parser = argparse.ArgumentParser()
    options.add_arguments(parser)
    code = job(parser.parse_args(asked), Console(as_json=as_json, verbose=verbose))
    printed = capsys.readouterr()
    return code, json.loads(printed.out) if as_json else printed.out, printed.err
