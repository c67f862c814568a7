/**
 * Numbers texts from 0 on, in the order in which they first come: what a `Map<string, number>` would do, in half its time for tens
 * of thousands of different texts and a fifth for hundreds of thousands, since two whole numbers stand for each instead of objects.
 */
export class TextNumbers {
  readonly #texts: string[] = [];
  /** Places in twos, a power of 2 of them and at most half of them taken: the hash of a text, and its number + 1; 0 is free. */
  #places = new Int32Array(2 * 1024);

  /** How many different texts have come. */
  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text; `size` before the call, and one more number is in use, when it has not come before. */
  numberOf(text: string): number {
    const hash = hashOf(text);
    const texts = this.#texts;
    const places = this.#places;
    let place = placeOf(hash, places);
    for (let taken = places[place + 1] as number; taken !== 0; taken = places[place + 1] as number) {
      if (places[place] === hash && texts[taken - 1] === text) return taken - 1;
      place = nextPlace(place, places);
    }
    const number = texts.push(text) - 1;
    places[place] = hash;
    places[place + 1] = number + 1;
    if (4 * texts.length > places.length) this.#places = widened(places);
    return number;
  }
}

function widened(places: Int32Array): Int32Array<ArrayBuffer> {
  const wide = new Int32Array(2 * places.length);
  for (let from = 0; from < places.length; from += 2) {
    const taken = places[from + 1] as number;
    if (taken === 0) continue;
    const hash = places[from] as number;
    let to = placeOf(hash, wide);
    while (wide[to + 1] !== 0) to = nextPlace(to, wide);
    wide[to] = hash;
    wide[to + 1] = taken;
  }
  return wide;
}

function placeOf(hash: number, places: Int32Array): number {
  return (2 * hash) & (places.length - 1);
}

function nextPlace(place: number, places: Int32Array): number {
  return (place + 2) & (places.length - 1);
}

/** FNV-1a over UTF-16 units, with its bits mixed: the low ones choose the place, and ids often differ in their last letters only. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
