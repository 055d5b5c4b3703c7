/**
 * What `npm test` leaves to `npm run campaign -- suite` and `-- browser`, which run all there is: a second way through what another
 * test goes through, what is asked of one more size, what waits for a limit of time, and kills by the dozen. A file that is for the
 * night as a whole is called `*.night.test.ts` (vitest.config.ts).
 */
import { describe, it } from 'vitest'

export const isNight = Boolean(process.env.CAMPAIGN)

/** Declares the test where the campaign runs. Elsewhere there is none: one that is skipped counts as one that is missing. */
export function nightly(name: string, test: () => unknown, timeoutMs?: number): void {
  if (isNight) it(name, test, timeoutMs)
}

/** The same for a block that has nothing by day: vitest refuses an empty one. */
export function nightlyBlock(title: string, body: () => void): void {
  if (isNight) describe(title, body)
}

/** All of them in the campaign, the first `dayCount` in `npm test`. */
export const limitByDay = <T>(items: readonly T[], dayCount: number): readonly T[] =>
  isNight ? items : items.slice(0, dayCount)
