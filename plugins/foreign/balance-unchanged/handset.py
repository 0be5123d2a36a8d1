"""What a Handset plugin in Python stands on: the three kinds of export, and the screen, evidence and session in their
words. Written by `handset plugin new`; yours to keep.

An exception that nobody catches is a fault of the plugin: its traceback reaches the host's log and the answer. `Failure`
is not: raised, it is a step's own failure, and an answer.
"""

import json
from dataclasses import dataclass, field
from types import SimpleNamespace

from componentize_py_types import Err
from wit_world.imports import log as _log, settings as _settings, ui

try:
    from wit_world.exports import readiness as _readiness
except ImportError:
    _readiness = None
try:
    from wit_world.exports import condition as _condition
except ImportError:
    _condition = None
try:
    from wit_world.exports import step as _step
    from wit_world.imports import device as _device
except ImportError:
    _step = None


class log:
    """Lines for the host's log; they never reach the agent."""

    @staticmethod
    def error(message):
        _log.write(_log.Level.ERROR, str(message))

    @staticmethod
    def warn(message):
        _log.write(_log.Level.WARN, str(message))

    @staticmethod
    def info(message):
        _log.write(_log.Level.INFO, str(message))

    @staticmethod
    def debug(message):
        _log.write(_log.Level.DEBUG, str(message))


def settings():
    """What the operator set for this plugin."""
    return json.loads(_settings.get())


class by:
    """Selectors: which element is meant. Members narrow each other: `{**by.id("row"), **by.text("Total")}`."""

    @staticmethod
    def id(value):
        return {"resource_id": value}

    @staticmethod
    def text(value):
        return {"text": value}

    @staticmethod
    def containing(value):
        return {"text": value, "contains": True}

    @staticmethod
    def label(value):
        return {"accessibility_id": value}

    @staticmethod
    def role(value):
        return {"role": value}


class Screen:
    """One screen as it was read. Searches run in the host and cost microseconds, whatever the size of the tree."""

    def __init__(self, handle):
        self.handle = handle
        self.info = handle.info()

    @property
    def facts(self):
        return json.loads(self.handle.facts())

    def find(self, selector):
        """The elements a selector means, invisible ones included."""
        return self._elements(self.handle.find(json.dumps(selector)))

    def only(self, selector):
        """The only element it means; None when there is none, or more than one."""
        found = self.find(selector)
        return found[0] if len(found) == 1 else None

    def with_words(self, *words):
        """Elements whose class, role, text or description holds any of the words, ignoring case."""
        return self._elements(self.handle.find_words(list(words)))

    def all(self, offset=0, limit=500):
        """All elements, a page at a time: on a large tree prefer `find`."""
        return self.handle.elements(offset, limit)

    def children(self, element):
        return self._elements(self.handle.children(element.index))

    def facts_of(self, element):
        """Everything the host knows of an element."""
        return json.loads(self.handle.element_json(element.index) or "null")

    def is_visible(self, element):
        return ui.Traits.VISIBLE in element.traits

    def counterpart(self, element, other):
        """The same element in another screen."""
        index = self.handle.counterpart(element.index, other.handle)
        return None if index is None else other.handle.element(index)

    def changes_since(self, earlier, limit=100):
        return self.handle.changes_since(earlier.handle, limit)

    def _elements(self, indexes):
        return [element for index in indexes if (element := self.handle.element(index)) is not None]


class Evidence:
    """Why you say what you say. The host checks it: `at` takes an element of a screen this call was shown."""

    def __init__(self, signal, heuristic):
        self.record = ui.Evidence(signal=signal, at=None, heuristic=heuristic, detail=None)

    def at(self, screen, element):
        self.record.at = ui.ElementAt(revision=screen.info.revision, index=element.index)
        return self

    def saying(self, detail):
        self.record.detail = str(detail)
        return self


def sign(signal):
    """A firm sign, by a stable kebab-case name."""
    return Evidence(signal, False)


def guess(signal):
    """A guess."""
    return Evidence(signal, True)


class _Said:
    def __init__(self):
        self.evidence = []

    def because(self, *evidence):
        """Says why."""
        self.evidence += [one.record for one in evidence]
        return self


def _named(everything, name):
    for one in everything:
        if one.name == name:
            return one
    raise LookupError(f"there is no {name}")


def _violations(one, arguments):
    found = one.validate(json.loads(arguments)) if one.validate else {}
    return [ui.Violation(path=path, message=message) for path, message in found.items()]


# Readiness


class Timeline:
    def __init__(self, handle):
        self.handle = handle

    @property
    def count(self):
        return self.handle.count()

    @property
    def latest(self):
        return Screen(self.handle.latest())

    def at(self, index):
        """Reads of this request, oldest first."""
        screen = self.handle.observation(index)
        return None if screen is None else Screen(screen)

    @property
    def failures(self):
        return self.handle.failures()

    @property
    def last_input(self):
        return self.handle.last_input()

    def probe(self, name):
        """Facts of a probe, where the host made it: `anr`, `debugger`, …"""
        facts = self.handle.probe(name)
        return None if facts is None else json.loads(facts)


class Assessment(_Said):
    def __init__(self, word):
        super().__init__()
        self.word = word
        self.limitations = []

    def limited_by(self, *what):
        """What keeps it from saying more."""
        self.limitations += what
        return self


def state(word):
    """unknown, settled, transitioning, loading, unresponsive or debugger_paused."""
    return Assessment(word)


def classifier(name, summary, probes=()):
    """`@classifier(name, summary)` on `def f(timeline)`; then `Readiness = classifiers(f)`."""

    def of(function):
        return SimpleNamespace(name=name, summary=summary, probes=list(probes), run=function)

    return of


def classifiers(*everything):
    class Readiness:
        def classifiers(self):
            return [_readiness.ClassifierInfo(one.name, one.summary, one.probes) for one in everything]

        def classify(self, name, samples):
            said = _named(everything, name).run(Timeline(samples)) or state("unknown")
            word = getattr(_readiness.State, said.word.upper())
            return _readiness.Assessment(word, said.evidence, said.limitations, [])

    return Readiness


# Conditions


class Screens:
    def __init__(self, handle):
        self.handle = handle

    @property
    def current(self):
        return Screen(self.handle.current())

    @property
    def baseline(self):
        """What the caller looked at before; None without one."""
        screen = self.handle.baseline()
        return None if screen is None else Screen(screen)

    @property
    def pending(self):
        return self.handle.pending()

    @property
    def history(self):
        return Timeline(self.handle.history())


class Finding(_Said):
    def __init__(self, verdict):
        super().__init__()
        self.verdict = verdict


def holds():
    """Only this lets the input go."""
    return Finding(_condition.Verdict_Holds())


def fails(why):
    return Finding(_condition.Verdict_Fails(str(why)))


def cannot_tell(why):
    return Finding(_condition.Verdict_CannotTell(str(why)))


def predicate(name, summary, arguments, validate=None):
    """`@predicate(name, summary, SCHEMA)` on `def f(args, screens)`; then `Condition = conditions(f)`."""

    def of(function):
        return SimpleNamespace(name=name, summary=summary, arguments=arguments, validate=validate, run=function)

    return of


def conditions(*everything):
    class Condition:
        def predicates(self):
            return [
                _condition.PredicateInfo(one.name, one.summary, json.dumps(one.arguments)) for one in everything
            ]

        def validate(self, name, arguments):
            return _violations(_named(everything, name), arguments)

        def check(self, name, arguments, screens):
            found = _named(everything, name).run(json.loads(arguments), Screens(screens))
            return _condition.Finding(found.verdict, found.evidence)

    return Condition


# Steps


class Failure(Exception):
    """A step's own failure: a code of the contract, such as ELEMENT_NOT_FOUND, and why."""

    def __init__(self, code, message, retryable=False):
        super().__init__(message)
        self.code, self.message, self.retryable = code, message, retryable


@dataclass
class Answer:
    id: int
    success: bool
    failure_code: str | None
    dispatch_started: bool
    body: dict = field(default_factory=dict)


class Report(_Said):
    def __init__(self):
        super().__init__()
        self.content = {}
        self.answers = []

    def body(self, content):
        """What the client reads under `plugin`."""
        self.content = content
        return self

    def shows(self, answer):
        """Has the host show its own record of an answer."""
        self.answers.append(answer.id)
        return self


def passed():
    return Report()


class Session:
    """The one device a step works on. Each call is recorded and refused unless the operator granted it."""

    def __init__(self, handle):
        self.handle = handle

    @property
    def platform(self):
        return self.handle.platform()

    @property
    def remaining_ms(self):
        return self.handle.remaining_ms()

    def observe(self):
        return Screen(self.handle.observe())

    def wait_for(self, selector, condition="visible", timeout_ms=None, poll_interval_ms=None, index=None):
        """The host polls; conditions: exists, not_exists, visible, clickable. Gives the screen and the element."""
        options = _device.WaitOptions(timeout_ms, poll_interval_ms, index)
        found = self.handle.wait_for(json.dumps(selector), condition, options)
        screen = Screen(found.screen)
        return screen, None if found.element is None else screen.handle.element(found.element)

    def call(self, tool, arguments):
        """A tool with its arguments; the answer, successful or not."""
        answer = self.handle.call(tool, json.dumps(arguments))
        return Answer(
            answer.id, answer.success, answer.failure_code, answer.dispatch_started, json.loads(answer.body)
        )

    def perform(self, tool, arguments):
        """The same, where an unsuccessful answer ends the step."""
        answer = self.call(tool, arguments)
        if answer.success:
            return answer
        said = answer.body.get("error", {}).get("message") or answer.body.get("reason") or f"{tool} did not succeed"
        raise Failure(answer.failure_code or "UNKNOWN", said)

    def tap(self, selector):
        """Needs the grant `input:tap_element`."""
        return self.perform("tap_element", {"selector": selector, "verificationMode": "light"})

    def type_text(self, text):
        """Types into what has the focus; needs `input:type_text`."""
        return self.perform("type_text", {"text": text, "verificationMode": "light"})

    def progress(self, message):
        self.handle.progress(str(message))

    def note(self, evidence):
        self.handle.note(evidence.record)


def step(name, summary, arguments, grants=("observe",), validate=None, first_look=None):
    """`@step(name, summary, SCHEMA, grants)` on `def f(args, session)`; then `Step = steps(f)`."""

    def of(function):
        return SimpleNamespace(
            name=name,
            summary=summary,
            arguments=arguments,
            grants=list(grants),
            validate=validate,
            first_look=first_look,
            run=function,
        )

    return of


def steps(*everything):
    class Step:
        def steps(self):
            return [
                _step.StepInfo(one.name, one.summary, json.dumps(one.arguments), one.grants) for one in everything
            ]

        def validate(self, name, arguments):
            return _violations(_named(everything, name), arguments)

        def first_look(self, name, arguments):
            look = _named(everything, name).first_look
            if look is None:
                return None
            selector, condition = look(json.loads(arguments))
            return _step.Look(json.dumps(selector), condition)

        def run(self, name, arguments, session):
            try:
                report = _named(everything, name).run(json.loads(arguments), Session(session))
            except Failure as failure:
                raise Err(_device.Failure(failure.code, failure.message, failure.retryable)) from None
            return _step.Report(
                passed=True,
                failure_code=None,
                message=None,
                body=json.dumps(report.content),
                evidence=report.evidence,
                shows=report.answers,
            )

    return Step
