"""GET of a collection: which state, which page."""
import base64
import json

from .codec import to_bytes
from .selectors import Selector
from .status import Refusal, expired, invalid, too_large
from .store import KINDS, api_version

TOKEN_TOO_OLD = ("The provided continue parameter is too old to display a consistent list result. You can "
                 "start a new list without the continue parameter, or use the continue token in this "
                 "response to retrieve the remainder of the results.")


def version(text):
    if text and not text.isdigit():
        raise invalid("ListOptions", "", f'resourceVersion: Invalid value: "{text}"')
    return int(text or 0)


def encode_token(rv, start):
    return base64.urlsafe_b64encode(to_bytes({"v": "meta.k8s.io/v1", "rv": rv, "start": start})).decode()


def decode_token(text):
    try:
        token = json.loads(base64.urlsafe_b64decode(text))
        return token["rv"], tuple(token["start"])
    except (ValueError, KeyError, TypeError):
        raise Refusal(400, "continue key is not valid") from None


def check_options(query):
    exact = query.get("resourceVersionMatch", "")
    given = query.get("resourceVersion", "")
    why = None
    if exact and exact not in ("Exact", "NotOlderThan"):
        why = f'resourceVersionMatch: Unsupported value: "{exact}"'
    elif exact and not given:
        why = "resourceVersionMatch: Forbidden: forbidden unless resourceVersion is provided"
    elif exact == "Exact" and given == "0":
        why = 'resourceVersionMatch: Forbidden: "Exact" is forbidden for resourceVersion "0"'
    elif query.get("continue") and given not in ("", "0"):
        raise Refusal(400, "specifying resource version is not allowed when using continue")
    if why:
        raise invalid("ListOptions", "", why)


def state_for(store, query, stale):
    """The version to list at (None: as it is now), and the key to begin after."""
    check_options(query)
    if query.get("continue"):
        rv, start = decode_token(query["continue"])
        if rv < store.oldest:
            raise expired(TOKEN_TOO_OLD)
        return rv, start
    given = query.get("resourceVersion", "")
    wanted = version(given)
    if stale is not None:
        return stale, None
    if wanted > store.rv:
        raise too_large(wanted, store.rv)
    if query.get("resourceVersionMatch") != "Exact":
        return None, None
    if wanted < store.oldest:
        raise expired(f"The resourceVersion for the provided list is too old: {wanted} ({store.oldest})")
    return wanted, None


def page_size(query):
    """0: all. A list from the server's cache knows no pages."""
    text = query.get("limit", "") or "0"
    if not text.lstrip("-").isdigit() or int(text) < 0:
        raise Refusal(400, f"invalid limit {text!r}")
    return 0 if query.get("resourceVersion") == "0" and not query.get("continue") else int(text)


def answer(store, resource, namespace, query, stale=None):
    """The pieces of the body. stale: the version to show instead of the one asked for."""
    with store.changed:
        selector = Selector(namespace, query)
        rv, start = state_for(store, query, stale)
        listed_at = store.rv if rv is None else rv
        found = [r for r in store.at(resource, rv)
                 if selector.matches(r) and (start is None or r.key > start)]
    limit = page_size(query)
    metadata = {"resourceVersion": str(listed_at)}
    if limit and len(found) > limit:
        metadata["continue"] = encode_token(listed_at, found[limit - 1].key)
        if not selector.fields and not selector.labels:
            metadata["remainingItemCount"] = len(found) - limit
        found = found[:limit]
    kind = KINDS[resource]
    head = to_bytes({"kind": kind.kind + "List", "apiVersion": api_version(kind), "metadata": metadata,
                     "items": []})[:-2]
    return pieces(head, found)


def pieces(head, found, at_once=64):
    yield head
    for i in range(0, len(found), at_once):
        yield (b"," if i else b"") + b",".join(record.body for record in found[i:i + at_once])
    yield b"]}\n"
