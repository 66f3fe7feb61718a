#!/usr/bin/env python3
"""A small Kubernetes API server on loopback, from a file of objects or of a stated size.

Prints its address once it serves, and runs until it is stopped. Tests use the package fakeapi itself."""
import argparse
import json
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from fakeapi import FakeApi, bulk  # noqa: E402 (the path comes first)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--objects", action="append", default=[], metavar="FILE.json",
                        help="a List or one object")
    parser.add_argument("--nodes", type=int, default=0, help="nodes of about 12 KB to make up")
    parser.add_argument("--pods", type=int, default=0, help="pods of about 3 KB to make up, eight to a node")
    parser.add_argument("--kubeconfig", metavar="FILE", help="where to write one")
    parser.add_argument("--token", help="the bearer token to ask for")
    parser.add_argument("--bookmarks", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--cert", help="serve TLS with it; PEM")
    parser.add_argument("--key")
    parser.add_argument("--client-ca", help="accept client certificates of it")
    parser.add_argument("--ca", help="for the kubeconfig")
    return parser.parse_args()


def load_file(api, path):
    value = json.loads(pathlib.Path(path).read_text())
    for item in value["items"] if value["kind"].endswith("List") else [value]:
        api.create(item)


def main():
    args = arguments()
    api = FakeApi(args.port, {args.token: "shikiri"} if args.token else None, bookmarks=args.bookmarks,
                  cert=args.cert, key=args.key, client_ca=args.client_ca)
    if args.nodes or args.pods:
        bulk.load(api, args.nodes, args.pods)
    for path in args.objects:
        load_file(api, path)
    signals = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    with api:
        if args.kubeconfig:
            api.write_kubeconfig(args.kubeconfig, args.ca, **({"token": args.token} if args.token else {}))
        print(api.url, flush=True)
        signal.sigwait(signals)


if __name__ == "__main__":
    main()
