"""A client of an API server that shows what comes, byte by byte where it matters."""
import http.client
import json
import urllib.parse

STRATEGIC = "application/strategic-merge-patch+json"


class Client:
    def __init__(self, api, headers=None, context=None):
        self.api, self.headers, self.context = api, headers or {}, context

    def connect(self, timeout=20):
        if self.context:
            return http.client.HTTPSConnection("127.0.0.1", self.api.port, timeout=timeout,
                                               context=self.context)
        return http.client.HTTPConnection("127.0.0.1", self.api.port, timeout=timeout)

    def request(self, method, path, value=None, content_type="application/json", **query):
        """(status, JSON, headers)."""
        connection = self.connect()
        try:
            body = None if value is None else json.dumps(value)
            text = f"{path}?{urllib.parse.urlencode(query)}" if query else path
            connection.request(method, text, body, {"Content-Type": content_type, **self.headers})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read()), dict(reply.getheaders())
        finally:
            connection.close()

    def get(self, path, **query):
        return self.request("GET", path, **query)[:2]

    def post(self, path, value):
        return self.request("POST", path, value)[:2]

    def patch(self, path, value, content_type=STRATEGIC):
        return self.request("PATCH", path, value, content_type)[:2]

    def names(self, path, **query):
        status, body = self.get(path, **query)
        assert status == 200, body
        return [item["metadata"]["name"] for item in body["items"]]

    def watch(self, path, **query):
        return Watching(self, path, query)


class Watching:
    """An open watch: lines as they come."""

    def __init__(self, client, path, query):
        self.connection = client.connect()
        text = urllib.parse.urlencode({"watch": "1", **query})
        self.connection.request("GET", f"{path}?{text}", headers=client.headers)
        self.reply = self.connection.getresponse()
        self.status = self.reply.status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def next(self):
        """(type, object) of the next event; None at the end."""
        line = self.reply.readline()
        if not line:
            return None
        event = json.loads(line)
        return event["type"], event["object"]

    def take(self, n):
        return [self.next() for _ in range(n)]

    def names(self, n):
        return [(kind, value["metadata"]["name"]) for kind, value in self.take(n)]
