// @NAME@: a condition. It is asked between the last read of the screen and the input; only `holds` lets the input go.

import { by, cannotTell, conditions, fails, holds, sign } from './handset.js';

export const condition = conditions({
  name: 'same-text',
  summary: 'Holds while an element shows the text it had in the baseline.',
  arguments: {
    type: 'object',
    properties: { id: { type: 'string', minLength: 1, description: 'Its resource id.' } },
    required: ['id'],
    additionalProperties: false,
  },

  check({ id }, screens) {
    const { baseline, current } = screens;
    if (!baseline) return cannotTell('there is no baseline to compare with');
    const was = baseline.only(by.id(id));
    const is = current.only(by.id(id));
    if (!was || !is) return cannotTell(`there is not one ${id} in both screens`);
    const evidence = sign('compared-text').at(current, is).saying(`${was.text} / ${is.text}`);
    return (was.text === is.text ? holds() : fails(`${id} has changed`)).because(evidence);
  },
});
