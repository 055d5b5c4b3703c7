/**
 * Fault 38: tests pages that are left while they write. WebKit keeps such pages for its Back button, and a frozen transaction of one blocks
 * all later pages.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { enter, type EngineStage } from '#tests/campaigns/browsers/stage.ts'
import { people } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'

const paths = ['user', 'home', 'contract', 'profile/company']
/** Time in ms before the page is left. */
const stayMs = { min: 200, max: 1_000 }
const answerMs = 10_000
const settleMs = 3_000

/** Returns the rounds after which a database did not respond or the page had no rows. */
export async function leavePages(
  stage: EngineStage,
  random: Random,
  rounds: number,
  report: (line: string) => void,
): Promise<string[]> {
  const { proxy } = stage
  const blockedLoads: string[] = []
  const browser = await stage.openWithKeys('left-pages')
  try {
    await enter(browser, proxy.url, people.globex)
    for (let round = 1; round <= rounds; round++) {
      const loadCount = drawBetween(random, 3, 5)
      for (let load = 0; load < loadCount; load++) {
        await browser.goTo(`${proxy.url}/saas/app/${paths[load % paths.length]}`)
        await wait(drawBetween(random, stayMs.min, stayMs.max))
      }
      await browser.goTo(`${proxy.url}/saas/app/user`)
      await wait(settleMs)
      const silentDatabases = await browser.run(findSilentDatabases, answerMs)
      const hasRows = await browser.run(() => document.querySelector('main tbody tr a') !== null)
      if (silentDatabases.length > 0 || !hasRows)
        blockedLoads.push(
          `after ${loadCount} loads: ${silentDatabases.join(' and ') || 'no database'} silent, rows ${hasRows ? 'shown' : 'missing'}`,
        )
      report(`${round} of ${rounds}: ${blockedLoads.length} blocked`)
    }
  } finally {
    await browser.kill()
  }
  return blockedLoads
}

/** Returns the databases in which a write does not complete. Runs in the page. */
async function findSilentDatabases(timeoutMs: number): Promise<string[]> {
  const databases = await indexedDB.databases()
  const answers = databases.map(({ name = '' }) => {
    const responsePromise = new Promise<null>((resolve) => {
      const openRequest = indexedDB.open(name)
      openRequest.onsuccess = () => {
        const { result: database } = openRequest
        const transaction = database.transaction([...database.objectStoreNames], 'readwrite')
        transaction.oncomplete = () => {
          database.close()
          resolve(null)
        }
      }
    })
    return Promise.race([responsePromise, new Promise<string>((resolve) => setTimeout(() => resolve(name), timeoutMs))])
  })
  return (await Promise.all(answers)).filter((name) => name !== null)
}
