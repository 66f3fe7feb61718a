"""Status objects: how an API server says no."""
from .codec import to_bytes

REASONS = {400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 405: "MethodNotAllowed",
           409: "Conflict", 410: "Expired", 415: "UnsupportedMediaType", 422: "Invalid",
           429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}
MESSAGES = {401: "Unauthorized",
            404: "the server could not find the requested resource",
            410: "The resourceVersion for the provided watch is too old.",
            429: "Too many requests, please try again later.",
            500: "Internal error occurred: injected",
            503: "the server is currently unable to handle the request",
            504: "the server was unable to return a response in the time allotted, but may still be "
                 "processing the request"}


def status(code, message=None, reason=None, details=None):
    body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message or MESSAGES.get(code, "injected"),
            "reason": reason or REASONS.get(code, "Unknown")}
    if details:
        body["details"] = details
    body["code"] = code
    return body


SUCCESS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


class Refusal(Exception):
    """Ends a request with a Status of that code."""

    def __init__(self, code, message=None, reason=None, details=None, headers=()):
        super().__init__(f"{code} {message}")
        self.code = code
        self.body = to_bytes(status(code, message, reason, details))
        self.headers = list(headers)


def conflict(resource, name, why):
    return Refusal(409, f'Operation cannot be fulfilled on {resource} "{name}": {why}',
                   details={"name": name, "kind": resource})


def not_found(resource, name):
    return Refusal(404, f'{resource} "{name}" not found', details={"name": name, "kind": resource})


def expired(message):
    return Refusal(410, message)


def too_large(wanted, current):
    return Refusal(504, f"Timeout: Too large resource version: {wanted}, current: {current}", details={
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1})


def invalid(kind, name, why):
    return Refusal(422, f'{kind} "{name}" is invalid: {why}', details={"name": name, "kind": kind})
