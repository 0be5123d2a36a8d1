"""balance-unchanged: lets an input go only while the balance on the screen is what it was in the baseline.

An app redraws a balance with another blank, sign or digit grouping; what is compared is the amount.
"""

import re
from decimal import Decimal, InvalidOperation

from handset import by, cannot_tell, conditions, fails, holds, predicate, settings, sign

ARGUMENTS = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 1, "description": "Resource id of the balance (settings.id)."},
        "within": {"type": "string", "description": "How far the amount may move: a decimal (0)."},
    },
    "additionalProperties": False,
}


def check_arguments(args):
    within = args.get("within", "0")
    try:
        if Decimal(within) >= 0:
            return {}
    except InvalidOperation:
        pass
    return {"within": f"{within!r} is no amount, such as \"0.05\""}


@predicate("balance-unchanged", "Holds while an amount is what it was in the baseline.", ARGUMENTS, check_arguments)
def balance_unchanged(args, screens):
    wanted = args.get("id") or settings().get("id")
    if not wanted:
        return cannot_tell("no id is given, and none is set")
    baseline, current = screens.baseline, screens.current
    if baseline is None:
        return cannot_tell("there is no baseline to compare with")
    was, now = baseline.only(by.id(wanted)), current.only(by.id(wanted))
    if was is None or now is None:
        return cannot_tell(f"there is not one {wanted} in both screens")
    before, after = amount(was.text), amount(now.text)
    if before is None or after is None:
        return cannot_tell(f"{wanted} shows no amount")
    evidence = sign("compared-amounts").at(current, now).saying(f"{before} / {after}")
    same = abs(after - before) <= Decimal(args.get("within", "0"))
    return (holds() if same else fails(f"{wanted} went from {before} to {after}")).because(evidence)


def amount(text):
    """The one amount in a text: the last of `.` and `,` parts the decimals when one to two digits follow it."""
    found = re.findall(r"[-−]?\s?\d[\d.,'\s\u00a0\u202f]*", text or "")
    if len(found) != 1:
        return None
    digits = re.sub(r"['\s\u00a0\u202f]", "", found[0]).replace("−", "-").rstrip(".,")
    whole, mark, decimals = max(digits.rpartition("."), digits.rpartition(","), key=lambda parts: len(parts[0]))
    if mark and len(decimals) <= 2:
        digits = re.sub(r"[.,]", "", whole) + "." + decimals
    else:
        digits = re.sub(r"[.,]", "", digits)
    try:
        return Decimal(digits)
    except InvalidOperation:
        return None


Condition = conditions(balance_unchanged)
