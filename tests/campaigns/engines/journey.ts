/** Runs a short user journey: login, the list offline, a change that waits, a reload, and the change is sent. */
import { setTimeout as wait } from 'node:timers/promises'
import { type EngineBrowser, waitFor } from '#tests/campaigns/engines/engine.ts'
import { enter, type EngineStage } from '#tests/campaigns/engines/stage.ts'
import { people } from '#tests/support/browser/browser.ts'

const sentWithinMs = 60_000
/** Times in ms to wait for a page's files, which arrive one after the other: `stable` is the time without a new file, `max` the total. */
const cacheWaitMs = { stable: 3_000, max: 60_000 }

/** Waits until no new file has been cached for a while. The code of the forms is cached after the list has loaded. */
async function waitForCachedCode(browser: EngineBrowser): Promise<void> {
  const countFiles = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith('portal-staff-'))
    const files = await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).length))
    return files.reduce((sum, count) => sum + count, 0)
  }
  let count = 0
  let stableSince = performance.now()
  for (
    const deadline = stableSince + cacheWaitMs.max;
    count === 0 || performance.now() - stableSince < cacheWaitMs.stable;
    await wait(200)
  ) {
    if (performance.now() > deadline) throw new Error('the code of the forms was not stored on the device')
    const currentCount = await browser.run(countFiles)
    if (currentCount !== count) stableSince = performance.now()
    count = currentCount
  }
}

export async function runJourney(stage: EngineStage, report: (line: string) => void): Promise<void> {
  const { proxy } = stage
  const browser = await stage.openWithKeys('journey')
  const name = `Smoke ${Date.now() % 100_000}`
  const isShown = (text: string) => document.body.textContent.includes(text)
  const listUrl = `${proxy.url}/saas/app/user`
  try {
    await browser.resize(1280, 800)
    await enter(browser, proxy.url, people.globex)
    await waitForCachedCode(browser)
    report('signed in, the list is shown')
    proxy.cut()
    await browser.goTo(listUrl)
    await waitFor(browser, 'the list is shown offline', () => document.querySelector('main tbody tr a') !== null, [])
    await waitFor(browser, 'the page does not say Online', () => !document.querySelector('.line.online'), [])
    report('offline, the list is shown')
    await browser.goTo(`${listUrl}?user=new`)
    await browser.type('[role="dialog"] input[name="name"]', name)
    await browser.type('[role="dialog"] input[name="email"]', `smoke-${Date.now()}@globex.example`)
    await browser.click('[role="dialog"] button[type="submit"]')
    await waitFor(browser, 'the form is closed', () => !document.querySelector('[role="dialog"]'), [])
    await browser.goTo(`${proxy.url}/saas/app/outbox`)
    await waitFor(browser, 'the change waits in the outbox after a reload', isShown, [name])
    await browser.goTo(`${listUrl}?searchText=${encodeURIComponent(name)}`)
    await waitFor(browser, 'the new user is in the list after a reload', isShown, [name])
    report('offline, a change waits, also after a reload')
    proxy.clearFaults()
    const isSent = () => document.querySelector('.bar-waiting') === null
    await waitFor(browser, 'nothing waits', isSent, [], sentWithinMs)
    const hasArrived = () => proxy.arrivals.some(({ method, keys }) => method === 'POST' && keys.length > 0)
    for (const deadline = performance.now() + sentWithinMs; !hasArrived(); await wait(100))
      if (performance.now() > deadline) throw new Error('the change did not reach the server')
    report('online again, the change is sent')
  } finally {
    proxy.clearFaults()
    await browser.kill()
  }
}
