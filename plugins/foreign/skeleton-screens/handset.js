// What a Handset plugin in JavaScript stands on: the three kinds of export, and the screen, evidence and session in
// their words. Written by `handset plugin new`; yours to keep. It imports nothing but the host's log and settings.
//
// An `Error` that nobody catches is a fault of the plugin: its text and stack reach the host's log and the answer.
// `fail(code, message)` is not: it is a step's own failure, and an answer.

import { write } from 'handset:plugin/log@0.1.0';
import { get } from 'handset:plugin/settings@0.1.0';

/** Lines for the host's log; they never reach the agent. */
export const log = {
  error: (message) => write('error', String(message)),
  warn: (message) => write('warn', String(message)),
  info: (message) => write('info', String(message)),
  debug: (message) => write('debug', String(message)),
};

/** What the operator set for this plugin. */
export const settings = () => JSON.parse(get());

/** Selectors: which element is meant. Members narrow each other: `{ ...by.id('row'), ...by.text('Total') }`. */
export const by = {
  id: (id) => ({ resource_id: id }),
  text: (text) => ({ text }),
  containing: (text) => ({ text, contains: true }),
  label: (label) => ({ accessibility_id: label }),
  role: (role) => ({ role }),
};

/** One screen as it was read. Searches run in the host and cost microseconds, whatever the size of the tree. */
export class Screen {
  constructor(handle) {
    this.handle = handle;
  }
  get info() {
    return this.handle.info();
  }
  get facts() {
    return JSON.parse(this.handle.facts());
  }
  /** The elements a selector means, invisible ones included. */
  find(selector) {
    return this.elements(this.handle.find(JSON.stringify(selector)));
  }
  /** The only element it means; undefined when there is none, or more than one. */
  only(selector) {
    const found = this.find(selector);
    return found.length === 1 ? found[0] : undefined;
  }
  /** Elements whose class, role, text or description holds any of the words, ignoring case. */
  withWords(...words) {
    return this.elements(this.handle.findWords(words));
  }
  /** All elements, a page at a time: on a large tree prefer `find`. */
  all(offset = 0, limit = 500) {
    return this.handle.elements(offset, limit);
  }
  children(element) {
    return this.elements(this.handle.children(element.index));
  }
  /** Everything the host knows of an element. */
  factsOf(element) {
    return JSON.parse(this.handle.elementJson(element.index) ?? 'null');
  }
  /** The same element in another screen. */
  counterpart(element, other) {
    const index = this.handle.counterpart(element.index, other.handle);
    return index === undefined ? undefined : other.handle.element(index);
  }
  /** What differs from an earlier screen: `{ kind, now, was, fields }`. */
  changesSince(earlier, limit = 100) {
    return this.handle.changesSince(earlier.handle, limit);
  }
  elements(indexes) {
    return Array.from(indexes, (index) => this.handle.element(index)).filter((element) => element !== undefined);
  }
}

/** Why you say what you say. The host checks it: `at` takes an element of a screen this call was shown. */
export class Evidence {
  constructor(signal, heuristic) {
    this.signal = signal;
    this.heuristic = heuristic;
  }
  at(screen, element) {
    this.place = { revision: screen.info.revision, index: element.index };
    return this;
  }
  saying(detail) {
    this.detail = String(detail);
    return this;
  }
  record() {
    return { signal: this.signal, at: this.place, heuristic: this.heuristic, detail: this.detail };
  }
}

/** A firm sign, by a stable kebab-case name. */
export const sign = (signal) => new Evidence(signal, false);
/** A guess. */
export const guess = (signal) => new Evidence(signal, true);

class Said {
  evidence = [];
  /** Says why. */
  because(...evidence) {
    this.evidence.push(...evidence);
    return this;
  }
  reasons() {
    return this.evidence.map((one) => one.record());
  }
}

// Readiness

class Assessment extends Said {
  limitations = [];
  constructor(state) {
    super();
    this.state = state;
  }
  /** What keeps it from saying more. */
  limitedBy(...what) {
    this.limitations.push(...what);
    return this;
  }
}

/** unknown, settled, transitioning, loading, unresponsive or debugger-paused. */
export const state = (word) => new Assessment(word);

class Timeline {
  constructor(handle) {
    this.handle = handle;
  }
  get count() {
    return this.handle.count();
  }
  get latest() {
    return new Screen(this.handle.latest());
  }
  /** Reads of this request, oldest first. */
  at(index) {
    const screen = this.handle.observation(index);
    return screen && new Screen(screen);
  }
  get failures() {
    return this.handle.failures();
  }
  get lastInput() {
    return this.handle.lastInput();
  }
  /** Facts of a probe, where the host made it: `anr`, `debugger`, … */
  probe(name) {
    const facts = this.handle.probe(name);
    return facts && JSON.parse(facts);
  }
}

/** `export const readiness = classifiers({ name, summary, probes, classify(timeline) })`. */
export const classifiers = (...all) => ({
  classifiers: () => all.map(({ name, summary, probes = [] }) => ({ name, summary, probes })),
  classify: (name, samples) =>
    told(() => {
      const said = named(all, name).classify(new Timeline(samples)) ?? state('unknown');
      return { state: said.state, evidence: said.reasons(), limitations: said.limitations, unsupported: [] };
    }),
});

// Conditions

class Finding extends Said {
  constructor(verdict) {
    super();
    this.verdict = verdict;
  }
}

/** Only this lets the input go. */
export const holds = () => new Finding({ tag: 'holds' });
export const fails = (why) => new Finding({ tag: 'fails', val: String(why) });
export const cannotTell = (why) => new Finding({ tag: 'cannot-tell', val: String(why) });

class Screens {
  constructor(handle) {
    this.handle = handle;
  }
  get current() {
    return new Screen(this.handle.current());
  }
  /** What the caller looked at before; undefined without one. */
  get baseline() {
    const screen = this.handle.baseline();
    return screen && new Screen(screen);
  }
  /** The input: `{ tool, arguments, target, targetBefore }`. */
  get pending() {
    return this.handle.pending();
  }
  get history() {
    return new Timeline(this.handle.history());
  }
}

/** `export const condition = conditions({ name, summary, arguments: SCHEMA, validate(args), check(args, screens) })`. */
export const conditions = (...all) => ({
  predicates: () =>
    all.map((one) => ({ name: one.name, summary: one.summary, argumentsSchema: JSON.stringify(one.arguments) })),
  validate: (name, args) => told(() => violations(named(all, name), args)),
  check: (name, args, screens) =>
    told(() => {
      const found = named(all, name).check(JSON.parse(args), new Screens(screens));
      return { verdict: found.verdict, evidence: found.reasons() };
    }),
});

// Steps

/** A step's own failure: a code of the contract, such as ELEMENT_NOT_FOUND, and why. */
export class Failure extends Error {
  constructor(code, message, retryable = false) {
    super(message);
    this.payload = { code, message, retryable };
  }
}

/** Ends the step with a failure. */
export const fail = (code, message) => {
  throw new Failure(code, message);
};

class Report extends Said {
  answers = [];
  content = {};
  /** What the client reads under `plugin`. */
  body(content) {
    this.content = content;
    return this;
  }
  /** Has the host show its own record of an answer. */
  shows(answer) {
    this.answers.push(answer.id);
    return this;
  }
}

export const passed = () => new Report();

/** The one device a step works on. Each call is recorded and refused unless the operator granted it. */
export class Session {
  constructor(handle) {
    this.handle = handle;
  }
  get platform() {
    return this.handle.platform();
  }
  get remainingMs() {
    return this.handle.remainingMs();
  }
  observe() {
    return new Screen(this.handle.observe());
  }
  /** The host polls; conditions: exists, not_exists, visible, clickable. */
  waitFor(selector, { condition = 'visible', timeoutMs, pollIntervalMs, index } = {}) {
    const found = this.handle.waitFor(JSON.stringify(selector), condition, { timeoutMs, pollIntervalMs, index });
    const screen = new Screen(found.screen);
    return { screen, element: found.element === undefined ? undefined : screen.handle.element(found.element) };
  }
  /** A tool with its arguments; the answer, successful or not. */
  call(tool, args) {
    const answer = this.handle.call(tool, JSON.stringify(args));
    return { ...answer, body: JSON.parse(answer.body) };
  }
  /** The same, where an unsuccessful answer ends the step. */
  perform(tool, args) {
    const answer = this.call(tool, args);
    if (answer.success) return answer;
    const said = answer.body?.error?.message ?? answer.body?.reason ?? `${tool} did not succeed`;
    throw new Failure(answer.failureCode ?? 'UNKNOWN', said);
  }
  /** Needs the grant `input:tap_element`. */
  tap(selector) {
    return this.perform('tap_element', { selector, verificationMode: 'light' });
  }
  /** Types into what has the focus; needs `input:type_text`. */
  typeText(text) {
    return this.perform('type_text', { text, verificationMode: 'light' });
  }
  progress(message) {
    this.handle.progress(String(message));
  }
  note(evidence) {
    this.handle.note(evidence.record());
  }
}

/** `export const step = steps({ name, summary, grants, arguments: SCHEMA, validate(args), run(args, session) })`. */
export const steps = (...all) => ({
  steps: () =>
    all.map((one) => ({
      name: one.name,
      summary: one.summary,
      argumentsSchema: JSON.stringify(one.arguments),
      grants: one.grants ?? ['observe'],
    })),
  validate: (name, args) => told(() => violations(named(all, name), args)),
  firstLook: (name, args) =>
    told(() => {
      const look = named(all, name).firstLook?.(JSON.parse(args));
      return look && { selector: JSON.stringify(look.selector), condition: look.condition ?? 'visible' };
    }),
  run: (name, args, session) =>
    told(() => {
      const report = named(all, name).run(JSON.parse(args), new Session(session));
      return {
        passed: true,
        failureCode: undefined,
        message: undefined,
        body: JSON.stringify(report.content),
        evidence: report.reasons(),
        shows: report.answers,
      };
    }),
});

function named(all, name) {
  const found = all.find((one) => one.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

/** `validate` returns `{ path: why }`. */
function violations(one, args) {
  return Object.entries(one.validate?.(JSON.parse(args)) ?? {}).map(([path, message]) => ({ path, message }));
}

/** An exception's own text goes to the host before the instance ends with it. */
function told(run) {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown && Object.hasOwn(thrown, 'payload'))) {
      write('error', thrown instanceof Error ? `${thrown.name}: ${thrown.message}\n${thrown.stack}` : String(thrown));
      throw thrown instanceof Error ? thrown : new Error(String(thrown));
    }
    throw thrown;
  }
}
