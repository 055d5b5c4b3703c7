/**
 * Signed-in browsers that the tests of a file have one after the other. A new one costs three times what a new page in one that
 * is there costs: its files, its worker and what it has compiled are here already. What a person chose goes between two
 * tests; what was read, sent or left half typed stays, as on a device that is used day by day.
 */
import type { BrowserContext, Page } from 'playwright-core'

type Stored = Awaited<ReturnType<BrowserContext['storageState']>>

interface Pooled {
  context: BrowserContext
  /** As it was when it was new. */
  stored: Stored
  isBusy: boolean
}

const pools = new Map<string, Pooled[]>()

export interface Lent {
  page: Page
  /** Its browser is as well, and it stands where that was opened. */
  isNew: boolean
  /** `isUsable`: whether the next one may have it. */
  giveBack(isUsable: boolean): Promise<void>
}

/** A page in a browser of that name which nobody has at the moment; `open` makes the first page of each. `url`: the portal's. */
export async function lend(name: string, url: string, open: () => Promise<Page>): Promise<Lent> {
  const pool = pools.get(name) ?? []
  pools.set(name, pool)
  const found = pool.find(({ isBusy }) => !isBusy)
  if (found) {
    found.isBusy = true
    const page = await found.context.newPage()
    await tidy(page, url, found.stored)
    return { page, isNew: false, giveBack: giveBackTo(pool, found) }
  }
  const page = await open()
  const pooled = { context: page.context(), stored: await page.context().storageState(), isBusy: true }
  pool.push(pooled)
  return { page, isNew: true, giveBack: giveBackTo(pool, pooled) }
}

const giveBackTo = (pool: Pooled[], pooled: Pooled) => async (isUsable: boolean) => {
  const { context } = pooled
  if (!isUsable) {
    pool.splice(pool.indexOf(pooled), 1)
    return context.close()
  }
  await Promise.all(context.pages().map((one) => one.close()))
  await context.setOffline(false)
  pooled.isBusy = false
}

/** On a page of the portal that is none of the app's, which reads this when it begins. */
async function tidy(page: Page, url: string, { origins }: Stored): Promise<void> {
  await page.goto(`${url}/health/live`)
  const chosen = origins.find(({ origin }) => origin === url)?.localStorage ?? []
  await page.evaluate((before) => {
    localStorage.clear()
    for (const { name, value } of before) localStorage.setItem(name, value)
  }, chosen)
}

/** Closes all of them; for the end of a file. */
export async function closePool(): Promise<void> {
  const all = [...pools.values()].flat()
  pools.clear()
  await Promise.all(all.map(({ context }) => context.close()))
}
