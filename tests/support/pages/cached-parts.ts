/** Counts files that the worker caches only for some users, and waits until all of a part's files are cached (P-09). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export type PartName = 'orders' | 'staff' | 'trail' | 'users' | 'pinyin'

function listFiles(part: PartName): string[] {
  const parts: Record<string, string> = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', '..', 'dist', 'parts.json'), 'utf8'),
  )
  return Object.keys(parts).filter((file) => parts[file] === part)
}

export const countFiles = (part: PartName): number => listFiles(part).length

export const countCachedFiles = (page: Page, part: PartName): Promise<number> =>
  page.evaluate(async (files) => {
    const names = (await caches.keys()).filter((name) => name.startsWith('portal-staff-'))
    const requests = await Promise.all(names.map(async (name) => await (await caches.open(name)).keys()))
    return requests.flat().filter(({ url }) => files.some((file) => url.endsWith(`/saas/${file}`))).length
  }, listFiles(part))

/** Waits until all files of the part are cached. The worker fetches them when the page is idle, and offline each of them is needed. */
export async function waitForCachedPart(page: Page, part: PartName): Promise<void> {
  const fileCount = countFiles(part)
  expect(fileCount).toBeGreaterThan(0)
  await expect.poll(() => countCachedFiles(page, part), { timeout: 30_000 }).toBe(fileCount)
}
