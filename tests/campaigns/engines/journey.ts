/** A person's shortest way through: login, the list offline, a change that waits, a reload, and the change sent. */
import { setTimeout as wait } from 'node:timers/promises'
import { waitFor } from '#tests/campaigns/engines/engine.ts'
import { enter, type Stage } from '#tests/campaigns/engines/stage.ts'
import { people } from '#tests/support/browser.ts'

const sentWithinMs = 60_000

/** Throws where a step does not come true. */
export async function walk(stage: Stage, say: (line: string) => void): Promise<void> {
  const { proxy } = stage
  const browser = await stage.openWithKeys('journey')
  const name = `Smoke ${Date.now() % 100_000}`
  const isShown = (text: string) => document.body.textContent.includes(text)
  const list = `${proxy.url}/saas/app/user`
  try {
    await browser.resize(1280, 800)
    await enter(browser, proxy.url, people.globex)
    // The form's code comes to the device after the list.
    const hasForm = async () => {
      const caches_ = await Promise.all((await caches.keys()).map(async (one) => (await caches.open(one)).keys()))
      return caches_.flat().some(({ url }) => url.includes('/users-'))
    }
    await waitFor(browser, 'the form of users is on the device', hasForm, [])
    say('signed in, the list is shown')
    proxy.cut()
    await browser.goTo(list)
    await waitFor(browser, 'the list is shown offline', () => document.querySelector('main tbody tr a') !== null, [])
    await waitFor(browser, 'the page does not say Online', () => !document.querySelector('.line.online'), [])
    say('offline, the list is shown')
    await browser.goTo(`${list}?user=new`)
    await browser.type('[role="dialog"] input[name="name"]', name)
    await browser.type('[role="dialog"] input[name="email"]', `smoke-${Date.now()}@globex.example`)
    await browser.click('[role="dialog"] button[type="submit"]')
    await waitFor(browser, 'the form is closed', () => !document.querySelector('[role="dialog"]'), [])
    await browser.goTo(`${proxy.url}/saas/app/outbox`)
    await waitFor(browser, 'the change waits in the outbox after a reload', isShown, [name])
    await browser.goTo(`${list}?searchText=${encodeURIComponent(name)}`)
    await waitFor(browser, 'the new user is in the list after a reload', isShown, [name])
    say('offline, a change waits, also after a reload')
    proxy.heal()
    const isSent = () => document.querySelector('.bar-waiting') === null
    await waitFor(browser, 'nothing waits', isSent, [], sentWithinMs)
    const created = proxy.arrivals.filter(({ method, keys }) => method === 'POST' && keys.length > 0)
    for (const end = performance.now() + sentWithinMs; created.length === 0; await wait(100))
      if (performance.now() > end) throw new Error('the change did not arrive')
    say('online again, the change is sent')
  } finally {
    proxy.heal()
    await browser.kill()
  }
}
