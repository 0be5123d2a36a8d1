// skeleton-screens: tells that an app shows grey boxes where content will be. Such screens are still, complete and
// without a spinner, so that nothing else takes them for loading.

import { classifiers, guess, settings, state } from './handset.js';

// Names that apps and the usual libraries (Facebook Shimmer, react-content-loader, Placeholder for Compose) give them.
const WORDS = ['skeleton', 'shimmer', 'placeholder', 'contentloader'];

// A single box may be an avatar that failed to load.
const FEWEST = 2;
// Evidence is for a reader.
const SHOWN = 4;

export const readiness = classifiers({
  name: 'skeleton-screen',
  summary: 'Loading, as a guess, while boxes without a text stand where content will be.',

  classify(timeline) {
    const screen = timeline.latest;
    const words = settings().words ?? WORDS;
    // The host's search is over class, role, text and description; ids are looked through here, a page at a time.
    const boxes = [];
    let texts = 0;
    for (let offset = 0; offset < screen.info.elementCount; offset += 500) {
      for (const element of screen.all(offset)) {
        if (!element.traits.visible) continue;
        if (isBox(element, words)) boxes.push(element);
        else if (element.text) texts += 1;
      }
    }
    // A screen full of texts with a few boxes left is one whose pictures are still to come: it can be used.
    if (boxes.length < FEWEST || texts > 2 * boxes.length) return state('unknown');
    const evidence = boxes.slice(0, SHOWN).map((box) => guess('skeleton-box').at(screen, box).saying(nameOf(box)));
    return state('loading').because(...evidence);
  },
});

function isBox(element, words) {
  const name = nameOf(element).toLowerCase();
  const empty = !element.text && !element.traits.clickable && !element.traits.editable;
  return empty && words.some((word) => name.includes(word));
}

function nameOf(element) {
  return element.resourceId ?? element.description ?? element.className;
}
