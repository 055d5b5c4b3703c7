/** Counts files that the worker caches only for some users, and waits until all of a part's files are cached (P-09). */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { countCachedPartFiles, listPartFiles, type PartName } from '#tests/support/pages/part-files.ts'

export const countFiles = (part: PartName): number => listPartFiles(part).length

export const countCachedFiles = (page: Page, part: PartName): Promise<number> =>
  page.evaluate(countCachedPartFiles, listPartFiles(part))

/** Waits until all files of the part are cached. The worker fetches them when the page is idle, and offline each of them is needed. */
export async function waitForCachedPart(page: Page, part: PartName): Promise<void> {
  const fileCount = countFiles(part)
  expect(fileCount).toBeGreaterThan(0)
  await expect.poll(() => countCachedFiles(page, part), { timeout: 30_000 }).toBe(fileCount)
}
