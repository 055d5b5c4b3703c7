/** Chance that can be had again: the same seed, the same throws (mulberry32). */

/** 0 <= x < 1 */
export type Chance = () => number

export function chanceOf(seed: number): Chance {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The suite draws the same every time, so that what turns it red is what changed; `SEED` draws otherwise. */
export const suiteSeed = Number(process.env.SEED ?? 20_261_121)

/** Whole, from `least` to `most`. */
export const between = (chance: Chance, least: number, most: number) =>
  least + Math.floor(chance() * (most - least + 1))

export function pick<T>(chance: Chance, all: readonly T[]): T {
  const found = all[Math.floor(chance() * all.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}
