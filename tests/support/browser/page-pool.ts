/**
 * Signed-in browsers that the tests of a file have one after the other. A new one costs three times what a new page in one that
 * is there costs: its files, its worker and what it has compiled are here already. What a person chose goes between two
 * tests; what was read, sent or left half typed stays, as on a device that is used day by day.
 */
import type { BrowserContext, Page } from 'playwright-core'

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

interface PooledContext {
  context: BrowserContext
  /** As it was when it was new. */
  storageState: StorageState
  isBusy: boolean
}

const pools = new Map<string, PooledContext[]>()

export interface LentPage {
  page: Page
  /** Its browser is as well, and it stands where that was opened. */
  isNew: boolean
  /** `isUsable`: whether the next one may have it. */
  giveBack(isUsable: boolean): Promise<void>
}

/** A page in a browser of that name which nobody has at the moment; `open` makes the first page of each. `url`: the portal's. */
export async function lendPage(poolName: string, url: string, open: () => Promise<Page>): Promise<LentPage> {
  const pool = pools.get(poolName) ?? []
  pools.set(poolName, pool)
  const idleContext = pool.find(({ isBusy }) => !isBusy)
  if (idleContext) {
    idleContext.isBusy = true
    const page = await idleContext.context.newPage()
    await resetStorage(page, url, idleContext.storageState)
    return { page, isNew: false, giveBack: createGiveBack(pool, idleContext) }
  }
  const page = await open()
  const pooledContext = { context: page.context(), storageState: await page.context().storageState(), isBusy: true }
  pool.push(pooledContext)
  return { page, isNew: true, giveBack: createGiveBack(pool, pooledContext) }
}

const createGiveBack = (pool: PooledContext[], pooledContext: PooledContext) => async (isUsable: boolean) => {
  const { context } = pooledContext
  if (!isUsable) {
    pool.splice(pool.indexOf(pooledContext), 1)
    return context.close()
  }
  await Promise.all(context.pages().map((page) => page.close()))
  await context.setOffline(false)
  pooledContext.isBusy = false
}

/** On a page of the portal that is none of the app's, which reads this when it begins. */
async function resetStorage(page: Page, url: string, { origins }: StorageState): Promise<void> {
  await page.goto(`${url}/health/live`)
  const storedItems = origins.find(({ origin }) => origin === url)?.localStorage ?? []
  await page.evaluate((items) => {
    localStorage.clear()
    for (const { name, value } of items) localStorage.setItem(name, value)
  }, storedItems)
}

/** Closes all of them; for the end of a file. */
export async function closePool(): Promise<void> {
  const contexts = [...pools.values()].flat()
  pools.clear()
  await Promise.all(contexts.map(({ context }) => context.close()))
}
