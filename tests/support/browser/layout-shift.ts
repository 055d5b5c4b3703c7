/** Measures the cumulative layout shift (CLS) of a page: how much visible content moved without an action of the user. */
import type { BrowserContext, Page } from 'playwright-core'
import { getUser } from '#contract/accounts.ts'

export interface LayoutShift {
  score: number
  /** The elements that moved, with their position before and after, for the message of a failed test. */
  sources: string[]
}

declare global {
  interface Window {
    layoutShift?: LayoutShift
  }
}

interface ShiftEntry extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
  sources: { node: Element | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
}

function observeShifts() {
  const total: LayoutShift = { score: 0, sources: [] }
  window.layoutShift = total
  const toText = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(' ')
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as ShiftEntry[]) {
      if (entry.hadRecentInput) continue
      total.score += entry.value
      total.sources.push(
        ...entry.sources.map(
          ({ node, previousRect, currentRect }) =>
            `${entry.value.toFixed(4)} ${node?.nodeName ?? ''}.${node?.className ?? ''}: ${toText(previousRect)} to ${toText(currentRect)}`,
        ),
      )
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Observes all pages that the context opens from now on. */
export const observeLayoutShift = (context: BrowserContext): Promise<unknown> => context.addInitScript(observeShifts)

/** Waits until the page has everything that it loads, and returns what moved since its first frame. */
export async function readLayoutShift(page: Page): Promise<LayoutShift> {
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('main .skeleton, main tr.waiting, [aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  return page.evaluate(() => window.layoutShift ?? { score: 0, sources: [] })
}

/** Stores of the device's database that are no cache. */
const ownStores = ['outbox', 'receipts', 'rowIds', 'sealedCache', 'responses']

/**
 * Deletes the lists and responses that the device has cached. The user stays signed in. `page` must not show the app, which reads them at its
 * start.
 */
export const clearCachedData = (page: Page): Promise<void> =>
  page.evaluate(
    async ({ ownStores, userPath }) => {
      const settle = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result)
          request.onerror = () => reject(request.error)
        })
      for (const { name } of await indexedDB.databases()) {
        if (!name || name === 'portal-device') continue
        const database = await settle(indexedDB.open(name))
        const stores = [...database.objectStoreNames]
        const transaction = database.transaction(stores, 'readwrite')
        for (const store of stores) if (!ownStores.includes(store)) transaction.objectStore(store).clear()
        const responses = transaction.objectStore('responses')
        for (const key of await settle(responses.getAllKeys())) if (key !== userPath) responses.delete(key)
        await new Promise((resolve) => (transaction.oncomplete = resolve))
        database.close()
      }
    },
    { ownStores, userPath: getUser.path },
  )
