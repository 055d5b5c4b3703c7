/** Files that the worker keeps for some users alone, and when a page's own are all here (P-09). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export type PartName = 'orders' | 'staff' | 'trail' | 'users'

/** The files of the build that are that part's. */
function listFiles(part: PartName): string[] {
  const parts: Record<string, string> = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', '..', 'dist', 'parts.json'), 'utf8'),
  )
  return Object.keys(parts).filter((file) => parts[file] === part)
}

/** How many files of the build are that part's. */
export const countFiles = (part: PartName): number => listFiles(part).length

/** How many of them this browser keeps. */
export const countCachedFiles = (page: Page, part: PartName): Promise<number> =>
  page.evaluate(async (files) => {
    const names = (await caches.keys()).filter((name) => name.startsWith('portal-staff-'))
    const requests = await Promise.all(names.map(async (name) => await (await caches.open(name)).keys()))
    return requests.flat().filter(({ url }) => files.some((file) => url.endsWith(`/saas/${file}`))).length
  }, listFiles(part))

/** They come when the page has come to rest; without a line none of them may be missing. */
export async function waitForCachedPart(page: Page, part: PartName): Promise<void> {
  const fileCount = countFiles(part)
  expect(fileCount).toBeGreaterThan(0)
  await expect.poll(() => countCachedFiles(page, part), { timeout: 30_000 }).toBe(fileCount)
}
