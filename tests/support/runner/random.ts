/** Draws reproducible random numbers: the same seed gives the same sequence (mulberry32). */

/** 0 <= x < 1 */
export type Random = () => number

export function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Seed of the suite. It is fixed, so a new failure is caused by a change of the code. `SEED` overrides it. */
export const suiteSeed = Number(process.env.SEED ?? 20_261_121)

/** Returns an integer from `min` to `max`, inclusive. */
export const drawBetween = (random: Random, min: number, max: number) => min + Math.floor(random() * (max - min + 1))

export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}
