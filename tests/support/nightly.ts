/**
 * Browser tests that `npm test` leaves to `npm run campaign -- browser`, which runs all of them: a second way through what another
 * test of the same file goes through, or what is asked of one more size.
 */
import { it } from 'vitest'

export const isNight = Boolean(process.env.CAMPAIGN)

/** Declares the test where the campaign runs. Elsewhere there is none: one that is skipped counts as one that is missing. */
export function nightly(name: string, test: () => Promise<unknown>): void {
  if (isNight) it(name, test)
}

/** All of them in the campaign, the first `kept` in `npm test`. */
export const byDay = <T>(all: readonly T[], kept: number): readonly T[] => (isNight ? all : all.slice(0, kept))
