// @NAME@: a readiness classifier. It sees the reads of one request and says what the screen is up to.

import { classifiers, guess, state } from './handset.js';

// Names that apps give to the grey boxes they show while content is on its way.
const WORDS = ['skeleton', 'shimmer', 'placeholder'];

export const readiness = classifiers({
  name: 'placeholder',
  summary: 'Loading, as a guess, while placeholders stand where content will be.',

  classify(timeline) {
    const screen = timeline.latest;
    const boxes = screen
      .all()
      .filter((element) => element.traits.visible && !element.text && says(element.resourceId ?? element.className));
    if (boxes.length < 2) return state('unknown');
    return state('loading').because(
      ...boxes.slice(0, 4).map((box) => guess('placeholder').at(screen, box).saying(box.resourceId ?? box.className)),
    );
  },
});

function says(name) {
  const lower = name.toLowerCase();
  return WORDS.some((word) => lower.includes(word));
}
