"""@NAME@: a readiness classifier. It sees the reads of one request and says what the screen is up to."""

from handset import classifier, classifiers, guess, state

# Names that apps give to the grey boxes they show while content is on its way.
WORDS = ("skeleton", "shimmer", "placeholder")


@classifier("placeholder", "Loading, as a guess, while placeholders stand where content will be.")
def placeholder(timeline):
    screen = timeline.latest
    boxes = [
        element
        for element in screen.all()
        if screen.is_visible(element) and not element.text and says(element.resource_id or element.class_name)
    ]
    if len(boxes) < 2:
        return state("unknown")
    return state("loading").because(
        *(guess("placeholder").at(screen, box).saying(box.resource_id or box.class_name) for box in boxes[:4])
    )


def says(name):
    return any(word in name.lower() for word in WORDS)


Readiness = classifiers(placeholder)
