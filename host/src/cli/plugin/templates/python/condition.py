"""@NAME@: a condition. It is asked between the last read of the screen and the input; only `holds` lets the input go."""

from handset import by, cannot_tell, conditions, fails, holds, predicate, sign

ARGUMENTS = {
    "type": "object",
    "properties": {"id": {"type": "string", "minLength": 1, "description": "Its resource id."}},
    "required": ["id"],
    "additionalProperties": False,
}


@predicate("same-text", "Holds while an element shows the text it had in the baseline.", ARGUMENTS)
def same_text(args, screens):
    baseline, current = screens.baseline, screens.current
    if baseline is None:
        return cannot_tell("there is no baseline to compare with")
    was, now = baseline.only(by.id(args["id"])), current.only(by.id(args["id"]))
    if was is None or now is None:
        return cannot_tell(f"there is not one {args['id']} in both screens")
    evidence = sign("compared-text").at(current, now).saying(f"{was.text} / {now.text}")
    return (holds() if was.text == now.text else fails(f"{args['id']} has changed")).because(evidence)


Condition = conditions(same_text)
