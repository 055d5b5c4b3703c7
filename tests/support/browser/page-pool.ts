/**
 * Lends logged-in browser contexts to the tests of a file, one after the other. A new context costs three times as much as a new page in an
 * existing one, which already has its files, worker and compiled code. The user's settings are reset between two tests; cached rows, sent
 * writes and drafts stay, as on a device in daily use.
 */
import type { BrowserContext, Page } from 'playwright-core'

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

interface PooledContext {
  context: BrowserContext
  storageState: StorageState
  isBusy: boolean
}

const pools = new Map<string, PooledContext[]>()

export interface LentPage {
  page: Page
  /** True if the browser context is new, and the page is still at its first address. */
  isNew: boolean
  /** Returns the page to the pool. `isUsable` is true if the next test may use its context. */
  giveBack(isUsable: boolean): Promise<void>
}

/** Returns a page in a free browser context of that name. `open` creates the first page of each context. `url` is the portal's address. */
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

/** Resets the storage on a page outside the app, because the app reads it at its start. */
async function resetStorage(page: Page, url: string, { origins }: StorageState): Promise<void> {
  await page.goto(`${url}/health/live`)
  const storedItems = origins.find(({ origin }) => origin === url)?.localStorage ?? []
  await page.evaluate((items) => {
    localStorage.clear()
    for (const { name, value } of items) localStorage.setItem(name, value)
  }, storedItems)
}

export async function closePool(): Promise<void> {
  const contexts = [...pools.values()].flat()
  pools.clear()
  await Promise.all(contexts.map(({ context }) => context.close()))
}
