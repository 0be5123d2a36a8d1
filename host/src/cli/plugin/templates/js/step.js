// @NAME@: a journey step. It works on one device through its session; waiting is the host's work.

import { by, passed, steps } from './handset.js';

export const step = steps({
  name: 'tap-and-wait',
  summary: 'Taps an element by its text and waits for another text.',
  grants: ['observe', 'input:tap_element'],
  arguments: {
    type: 'object',
    properties: {
      tap: { type: 'string', minLength: 1, description: 'Text of the element to tap.' },
      then: { type: 'string', minLength: 1, description: 'Part of a text that shows afterwards.' },
    },
    required: ['tap', 'then'],
    additionalProperties: false,
  },

  run({ tap, then }, session) {
    const tapped = session.tap(by.text(tap));
    session.progress(`waiting for ${then}`);
    const found = session.waitFor(by.containing(then), { timeoutMs: 10_000 });
    return passed()
      .body({ found: found.element?.text })
      .shows(tapped);
  },
});
