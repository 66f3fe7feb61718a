"""JSON as the server writes it: compact, and any string that Python can hold."""
import json


def to_bytes(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
