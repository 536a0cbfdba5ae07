"""Kernel side: from setting a slider's value to the encoded picture, in one real kernel a view.

    python -m benchmarks.slider

Prints a table of medians and 95th percentiles in milliseconds, and the ratios that the README
shows. The floor is the PNG encoding of mhalib's finished picture alone: by Pillow at its fastest,
with which Matplotlib saves, and by mhalib's own encoder.
"""

import json

from jupyter_client.manager import start_new_kernel

from benchmarks.views import cell

SIZES = (2, 6, 12)
ROUNDS = 60
MOVE = """
import gc, json, time
def timed(act):
    times = []
    for n in range({rounds} + 5):
        start = time.perf_counter()
        act(0.3 + 2.5 * ((7 * n) % {rounds}) / {rounds})
        times.append(1000 * (time.perf_counter() - start))
    times = sorted(times[5:])
    return times[len(times) // 2], times[int(0.95 * len(times))]
def move(value):
    slider.value = round(value, 2)
result = {{"view": timed(move)}}
if "made" in globals():
    import io
    from PIL import Image as Pillow
    from mhalib.pictures.raster import encode
    finished = [Pillow.fromarray(p.pixels()) for p in made.pictures]
    result["pillow"] = timed(
        lambda value: [p.save(io.BytesIO(), "png", compress_level=1) for p in finished])
    result["encode"] = timed(lambda value: [encode(p._lines) for p in made.pictures])
print("RESULT", json.dumps(result))
"""


def run(client, code):
    """Run code in the kernel; return what it printed."""
    asked, printed = client.execute(code), []
    while True:
        message = client.get_iopub_msg(timeout=300)
        if message["parent_header"].get("msg_id") != asked:
            continue
        if message["msg_type"] == "error":
            raise RuntimeError("\n".join(message["content"]["traceback"]))
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])
        if message["content"].get("execution_state") == "idle":
            return "".join(printed)


def measure(view, n):
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=["--log-level=ERROR"])
    try:
        run(client, cell(view, n))
        printed = run(client, MOVE.format(rounds=ROUNDS))
        return json.loads(printed.split("RESULT", 1)[1].splitlines()[0])
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def main():
    print(f"{'':10} {'':>17} {'median':>8} {'p95':>8}   (milliseconds, three maps with numbers)")
    for n in SIZES:
        mhalib = measure("mhalib", n)
        rows = {
            "floor (Pillow)": mhalib["pillow"],
            "floor (mhalib's)": mhalib["encode"],
            "mhalib": mhalib["view"],
            "savefig": measure("savefig", n)["view"],
            "interact": measure("interact", n)["view"],
        }
        for name, (median, p95) in rows.items():
            print(f"{f'{n} x {n}':10} {name:>17} {median:8.1f} {p95:8.1f}")
        median = {name: row[0] for name, row in rows.items()}
        ratios = [
            f"{name} / {other} {median[name] / median[other]:.2f}"
            for name, other in (
                ("interact", "mhalib"),
                ("savefig", "mhalib"),
                ("mhalib", "floor (Pillow)"),
                ("mhalib", "floor (mhalib's)"),
            )
        ]
        print(f"{'':10} {', '.join(ratios)}")


if __name__ == "__main__":
    main()
