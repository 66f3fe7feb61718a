"""The watches that are open, as a test can reach them."""
import contextlib

from .wire import now

NEVER_S = 3600.0


class Feed:
    """One open watch. All of it under the store's lock."""

    def __init__(self, resource, interval):
        self.resource = resource
        self.dropped = self.ended = False
        self.bookmarks_told = 0
        self._injected = []
        self._interval = interval
        self._bookmark_at = now() + interval() if interval() else None

    def inject(self, line):
        self._injected.append(line)

    def take_injected(self):
        lines, self._injected = self._injected, []
        return lines

    def ask_bookmark(self):
        self._bookmark_at = now()

    def until_bookmark(self):
        return NEVER_S if self._bookmark_at is None else max(0.0, self._bookmark_at - now())

    def take_bookmark(self):
        if self._bookmark_at is None or now() < self._bookmark_at:
            return False
        self._bookmark_at = now() + self._interval() if self._interval() else None
        self.bookmarks_told += 1
        return True


class Feeds:
    def __init__(self, changed, interval):
        """interval: tells the seconds between bookmarks, 0 for none."""
        self._changed, self._interval = changed, interval
        self._open = []

    @contextlib.contextmanager
    def open(self, resource):
        feed = Feed(resource, self._interval)
        with self._changed:
            self._open.append(feed)
            self._changed.notify_all()
        try:
            yield feed
        finally:
            with self._changed:
                self._open.remove(feed)
                self._changed.notify_all()

    def of(self, resource=None):
        with self._changed:
            return [feed for feed in self._open if resource in (None, feed.resource)]

    def each(self, resource, do):
        """Does it to every open watch of the resource (None: of all); how many there were."""
        with self._changed:
            feeds = self.of(resource)
            for feed in feeds:
                do(feed)
            self._changed.notify_all()
            return len(feeds)
