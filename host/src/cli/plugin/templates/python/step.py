"""@NAME@: a journey step. It works on one device through its session; waiting is the host's work."""

from handset import by, passed, step, steps

ARGUMENTS = {
    "type": "object",
    "properties": {
        "tap": {"type": "string", "minLength": 1, "description": "Text of the element to tap."},
        "then": {"type": "string", "minLength": 1, "description": "Part of a text that shows afterwards."},
    },
    "required": ["tap", "then"],
    "additionalProperties": False,
}


@step(
    "tap-and-wait",
    "Taps an element by its text and waits for another text.",
    ARGUMENTS,
    grants=("observe", "input:tap_element"),
)
def tap_and_wait(args, session):
    tapped = session.tap(by.text(args["tap"]))
    session.progress(f"waiting for {args['then']}")
    screen, element = session.wait_for(by.containing(args["then"]), timeout_ms=10_000)
    return passed().body({"found": element and element.text}).shows(tapped)


Step = steps(tap_and_wait)
