"""A kernel with an explorer in it, spoken to as a front end speaks."""

from queue import Empty
from time import monotonic


class Kernel:
    def __init__(self, client):
        self.client, self.subshell = client, None

    def run(self, code):
        """What the code prints."""
        printed = []

        def note(message):
            if message["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        reply = self.client.execute_interactive(code, timeout=60, output_hook=note)
        assert reply["content"]["status"] == "ok", reply["content"]
        return "".join(printed)

    def open_subshell(self):
        """A thread of its own for what comes, as JupyterLab gives to widgets."""
        self.client.control_channel.send(self.client.session.msg("create_subshell_request", {}))
        reply = self.client.control_channel.get_msg(timeout=10)
        self.subshell = reply["content"]["subshell_id"]

    def send(self, model, data):
        """Send a widget's message without waiting; return the message's name."""
        message = self.client.session.msg("comm_msg", {"comm_id": model, "data": data})
        if self.subshell:
            message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def set(self, model, **state):
        return self.send(model, {"method": "update", "state": state, "buffer_paths": []})

    def click(self, model):
        return self.send(model, {"method": "custom", "content": {"event": "click"}})

    def listen(self, enough, seconds=60):
        """All that the kernel says, message by message, until `enough()`."""
        end = monotonic() + seconds
        while not enough():
            assert monotonic() < end
            try:
                yield self.client.get_iopub_msg(timeout=0.2)
            except Empty:
                pass
