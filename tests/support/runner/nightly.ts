/**
 * Declares tests that `npm test` omits and that `npm run campaign -- suite` and `-- browser` run: additional paths and sizes, tests that
 * wait for timeouts, and series of kills. A file that runs only at night is called `*.night.test.ts` (vitest.config.ts).
 */
import { describe, it } from 'vitest'

export const isNight = Boolean(process.env.CAMPAIGN)

/** Declares the test in campaigns only. Elsewhere it is omitted instead of skipped, because skipped tests are reported as missing. */
export function nightly(name: string, test: () => unknown, timeoutMs?: number): void {
  if (isNight) it(name, test, timeoutMs)
}

/** Like `nightly`, for a `describe` block that would otherwise have no tests, because vitest refuses an empty block. */
export function nightlyBlock(title: string, body: () => void): void {
  if (isNight) describe(title, body)
}

/** Returns all items in campaigns, and the first `dayCount` in `npm test`. */
export const limitByDay = <T>(items: readonly T[], dayCount: number): readonly T[] =>
  isNight ? items : items.slice(0, dayCount)
