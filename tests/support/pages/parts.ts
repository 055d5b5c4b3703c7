/** Files that the worker keeps for some users alone, and when a page's own are all here (P-09). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export type PartName = 'orders' | 'staff' | 'trail' | 'users'

/** The files of the build that are that part's. */
function filesIn(part: PartName): string[] {
  const parts: Record<string, string> = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', '..', 'dist', 'parts.json'), 'utf8'),
  )
  return Object.keys(parts).filter((file) => parts[file] === part)
}

/** How many files of the build are that part's. */
export const filesOf = (part: PartName): number => filesIn(part).length

/** How many of them this browser keeps. */
export const filesKept = (page: Page, part: PartName): Promise<number> =>
  page.evaluate(async (files) => {
    const names = (await caches.keys()).filter((name) => name.startsWith('portal-staff-'))
    const all = await Promise.all(names.map(async (name) => await (await caches.open(name)).keys()))
    return all.flat().filter(({ url }) => files.some((file) => url.endsWith(`/saas/${file}`))).length
  }, filesIn(part))

/** They come when the page has come to rest; without a line none of them may be missing. */
export async function partKept(page: Page, part: PartName): Promise<void> {
  const all = filesOf(part)
  expect(all).toBeGreaterThan(0)
  await expect.poll(() => filesKept(page, part), { timeout: 30_000 }).toBe(all)
}
