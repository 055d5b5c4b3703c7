/** Fault 40: counts unnecessary token renewals, and checks whether a session survives a kill of the browser. */
import { setTimeout as wait } from 'node:timers/promises'
import { waitFor } from '#tests/campaigns/browsers/engine.ts'
import { enter, type EngineStage } from '#tests/campaigns/browsers/stage.ts'
import { people } from '#tests/support/browser/browser.ts'

export interface RenewalReport {
  renewalCount: number
  requests: number
  kills: number
  /** Number of kills after which no login was needed. */
  survivedCount: number
}

const visitedPaths = ['home', 'user', 'contract', 'profile/company', 'systrail']
const visitMs = 3_000
/** Time in ms before a kill, because browsers write cookies to the disk with a delay. */
const beforeKillMs = 4_000

export async function countRenewals(
  stage: EngineStage,
  kills: number,
  report: (line: string) => void,
): Promise<RenewalReport> {
  const { proxy } = stage
  let browser = await stage.open('renewals')
  try {
    await enter(browser, proxy.url, people.globex)
    const arrivalsBefore = proxy.arrivals.length
    for (const path of visitedPaths) {
      await browser.goTo(`${proxy.url}/saas/app/${path}`)
      await waitFor(browser, `${path} is shown`, () => document.querySelector('main h1') !== null, [])
      await wait(visitMs)
    }
    const calls = proxy.arrivals.slice(arrivalsBefore).filter(({ path }) => path.startsWith('/api/'))
    const renewalCount = calls.filter(({ method, path }) => method === 'POST' && path === '/api/m18s/token').length
    report(`${renewalCount} renewals in ${calls.length} requests`)
    let survivedCount = 0
    for (let kill = 1; kill <= kills; kill++) {
      await wait(beforeKillMs)
      await browser.kill()
      browser = await stage.open('renewals')
      if (!(await enter(browser, proxy.url, people.globex))) survivedCount += 1
      report(`${survivedCount} of ${kill} kills survived`)
    }
    return { renewalCount, requests: calls.length - renewalCount, kills, survivedCount }
  } finally {
    await browser.kill()
  }
}
