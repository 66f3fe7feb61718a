"""fieldSelector and labelSelector, in the forms that say equal, unequal, there and not there."""
import re

from .status import Refusal

TERM = re.compile(r"^([^=!,]+?)(?:(==|=|!=)([^=!,]*))?$")
FIELDS = ("metadata.name", "metadata.namespace", "spec.nodeName", "spec.schedulerName", "status.phase")


def parse(text, fields):
    terms = []
    for part in filter(None, text.split(",")):
        negated = part.startswith("!") and not fields
        match = TERM.match(part[1:] if negated else part)
        if not match or (fields and (match[2] is None or match[1] not in FIELDS)):
            raise Refusal(400, f"unable to parse requirement: {part!r}")
        operator = match[2] or ("absent" if negated else "there")
        terms.append((match[1], operator, match[3] or ""))
    return terms


def holds(value, operator, wanted):
    if operator in ("there", "absent"):
        return (value is not None) == (operator == "there")
    return (value == wanted) == (operator != "!=")


class Selector:
    """Which objects a list or watch is about. No namespace means all."""

    def __init__(self, namespace, query):
        self.namespace = namespace
        self.fields = parse(query.get("fieldSelector", ""), True)
        self.labels = parse(query.get("labelSelector", ""), False)

    @property
    def selects_all(self):
        return not (self.namespace or self.fields or self.labels)

    def matches(self, record):
        if record is None or (self.namespace and record.key[0] != self.namespace):
            return False
        if not self.fields and not self.labels:
            return True
        fields, labels = record.fields()
        return (all(holds(fields[name], operator, wanted) for name, operator, wanted in self.fields) and
                all(holds(labels.get(name), operator, wanted) for name, operator, wanted in self.labels))
