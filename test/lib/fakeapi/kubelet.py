"""What happens on the nodes: pods start, are refused, end, and only then go."""


class Kubelet:
    """automatic: does each thing as soon as it can be done; else a test calls it."""

    def __init__(self, api):
        self._api = api
        self.automatic = True
        self._refusals = []

    def refuse_next(self, reason="UnexpectedAdmissionError", times=1,
                    message="Allocate failed due to requested number of devices unavailable"):
        self._refusals += [(reason, message)] * times

    def on_bound(self, key):
        if self.automatic:
            self.admit(*key)

    def admit(self, namespace, name):
        """Running, or Failed for good when a refusal is waiting."""
        if self._refusals:
            reason, message = self._refusals.pop(0)
            return self.set_phase(namespace, name, "Failed", reason=reason,
                                  message=f"Pod was rejected: {message}")
        return self.set_phase(namespace, name, "Running")

    def set_phase(self, namespace, name, phase, **status):
        def change(pod):
            pod.setdefault("status", {}).update(phase=phase, **status)
        return self._api.change("pods", name, change, namespace)

    def terminate(self, namespace, name, phase="Failed"):
        """The end of an ordinary deletion: a terminal phase first, then the object goes."""
        pod = self._api.get("pods", name, namespace)
        if pod["status"].get("phase") not in ("Succeeded", "Failed"):
            self.set_phase(namespace, name, phase)
        return self._api.remove("pods", name, namespace)
