/** What a new version does to open pages, in real Chromium: it asks, it waits, it takes all tabs along, or it does nothing. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { openUpdates, patient } from '#tests/support/browser/updates.ts'
import { listed } from '#tests/support/browser/visit.ts'
import { letRest } from '#tests/support/browser/worker-control.ts'

/** Longer than anybody sends for a new version, and not as long as it is waited for. */
const busyMs = 20_000

const { the, bar, reload, enter, mark, isSamePage, isLoadedAnew, lookForUpdate, buildOf, typeIn, typed } = openUpdates()

/** What becomes of the update that the page looks for now. */
const outcome = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/saas/')
    if (!registration) return 'no worker is registered'
    // Heard from its first moment on: where nothing else is to do it fails before an update is told to have begun.
    const ended = new Promise<string>((resolve) => {
      const hear = ({ installing }: ServiceWorkerRegistration) =>
        installing?.addEventListener('statechange', () => resolve(installing.state), { once: true })
      registration.addEventListener('updatefound', () => hear(registration), { once: true })
    })
    await registration.update()
    return await ended
  })

describe('a new version', () => {
  it('asks, waits for what is typed in any tab, and then takes all tabs along (P-15, W-10)', async () => {
    const [first, second, third] = [await enter(), await enter(), await enter()]
    await typeIn(second)
    await the.served.deploy()
    await lookForUpdate(first)
    for (const page of [first, second, third]) await reload(page).waitFor()
    expect(await buildOf(first)).toBe(the.releases.older)

    await reload(first).click()
    await bar(first).getByText('what you typed in this or another tab').waitFor()
    expect(await Promise.all([first, second, third].map(isSamePage))).toEqual([true, true, true])
    expect(await typed(second)).toBe('Typed but not saved')

    await second.keyboard.press('Escape')
    await second.getByRole('button', { name: 'Discard' }).click()
    await Promise.all([first, second, third].map((page) => isLoadedAnew(page)))
    for (const page of [first, second, third]) await expect.poll(() => buildOf(page), patient).toBe(the.releases.newer)
    await expect.poll(() => bar(first).count(), patient).toBe(0)
  })

  it('whose files cannot all be fetched, or are a login page with 200, as in a hotel (W-04), changes nothing: the old one goes on, offline too', async () => {
    const page = await enter()
    for (const how of [{ without: 'inside-' }, { spoiled: 'inside-' }]) {
      await the.served.deploy(how)
      expect([how, await outcome(page)]).toEqual([how, 'redundant'])
    }
    await the.served.portal.stop()
    await page.reload()
    await listed(page)
    expect(await buildOf(page)).toBe(the.releases.older)
    expect(await bar(page).count()).toBe(0)
  })

  it('that takes over under unsaved words leaves them, and the old page works on the new worker (one build of overlap)', async () => {
    const [first, second] = [await enter(), await enter()]
    await typeIn(second, 'Overlap Olga')
    await second.locator('[role=dialog] input[name=email]').fill('overlap@acme.example')
    await the.served.deploy()
    await lookForUpdate(first)
    await reload(first).waitFor()
    // A page that asks nobody: what a browser does that throws a worker away, or a tab that slept through it all.
    await first.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/saas/')
      registration?.waiting?.postMessage({ type: 'SKIP_WAITING' })
    })
    await isLoadedAnew(first)
    await bar(second).getByText('running in your other tabs').waitFor()
    expect(await buildOf(second)).toBe(the.releases.newer)
    expect([await isSamePage(second), await typed(second)]).toEqual([true, 'Overlap Olga'])

    await second.locator('[role=dialog] button[type=submit]').click()
    await second.locator('[role=dialog]').waitFor({ state: 'detached' })
    await second.goto(`${the.served.portal.url}/saas/app/user?searchText=Overlap`)
    await listed(second)
    expect(await second.locator('tbody').innerText()).toContain('Overlap Olga')
  })

  it('whose old worker is busy lets writes leave meanwhile, and takes over when that one ends (0025)', async () => {
    const proxy = await openFaultProxy(Number(new URL(the.served.portal.url).port))
    try {
      const first = await enter('admin', '/app/user', proxy.url)
      const second = await enter('admin', '/app/user', proxy.url)
      await second.goto(`${proxy.url}/saas/app/user?user=new`)
      await second.locator('[role=dialog]').waitFor()
      await mark(second)
      await the.served.deploy()
      await lookForUpdate(first)
      await reload(first).waitFor()
      // Its event lasts as long as the answer is awaited.
      proxy.set(({ path }) => (path === '/api/m18s/user' ? 'hang' : null))
      await first.evaluate(() => void fetch('/api/m18s/user'))
      await expect.poll(() => proxy.arrivals.some(({ fault }) => fault === 'hang'), patient).toBe(true)

      await reload(first).click()
      await bar(first).getByText('is starting').waitFor()
      const from = Date.now()
      await second.locator('[role=dialog] input[name=name]').fill('Meanwhile Mei')
      await second.locator('[role=dialog] input[name=email]').fill('mei@acme.example')
      await second.locator('[role=dialog] button[type=submit]').click()
      const sent = () => proxy.arrivals.some(({ method, keys }) => method === 'POST' && keys.length > 0)
      await expect.poll(sent, patient).toBe(true)
      expect([await isSamePage(first), await isSamePage(second)]).toEqual([true, true])

      await first.waitForTimeout(Math.max(0, busyMs - (Date.now() - from)))
      expect(await bar(first).getByText('is starting').count()).toBe(1)
      await Promise.all([isLoadedAnew(first), isLoadedAnew(second)])
      expect(await buildOf(first)).toBe(the.releases.newer)
    } finally {
      await proxy.close()
    }
  }, 180_000)

  it('below the minimum takes over by itself, and still waits for what is typed (W-09)', async () => {
    const page = await enter()
    await typeIn(page)
    const minimum = the.releases.newer.split('-')[0] ?? ''
    await the.served.deploy({ settings: { MIN_BUILD: minimum } })
    // The worker hears it on the next answer, and tells the page.
    await page.evaluate(() => fetch('/api/m18s/user'))
    await bar(page).getByText('what you typed in this or another tab').waitFor()
    expect(await bar(page).getByRole('button', { name: 'Later' }).count()).toBe(0)
    expect([await isSamePage(page), await typed(page)]).toEqual([true, 'Typed but not saved'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await isLoadedAnew(page)
    expect(await buildOf(page)).toBe(the.releases.newer)
  })
})

describe('code that a new version took away under an open page', () => {
  // Inside the page, as a link of the menu would: that page does not stand in the menu.
  const toPrices = (page: Page) =>
    page.evaluate(() => {
      history.pushState({ idx: 1 }, '', '/saas/app/m18/price')
      dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
    })
  const prices = (page: Page) => page.getByRole('heading', { level: 1, name: 'Price lists' })

  it('is brought by one loading of the page where a release was missed, by way of the new version', async () => {
    const page = await enter('staff', '/app/home')
    await the.served.deploy({ former: false })
    await toPrices(page)
    await isLoadedAnew(page)
    await prices(page).waitFor()
    expect(await buildOf(page)).toBe(the.releases.newer)
  })

  it('is there for one release: nothing is loaded anew', async () => {
    const page = await enter('staff', '/app/home')
    await the.served.deploy()
    await toPrices(page)
    await prices(page).waitFor()
    expect([await isSamePage(page), await buildOf(page)]).toEqual([true, the.releases.older])
  })

  it('is there without a line too, for a page that stays open under the new worker', async () => {
    const [first, second] = [await enter(), await enter()]
    await typeIn(second)
    await the.served.deploy()
    await lookForUpdate(first)
    await reload(first).waitFor()
    await first.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/saas/')
      registration?.waiting?.postMessage({ type: 'SKIP_WAITING' })
    })
    await letRest(second, bar(second).getByText('running in your other tabs').waitFor())
    await the.context.setOffline(true)
    const asked = the.releases.former.filter((file) => !/^(staff|signup)-/.test(file))
    expect(asked.length).toBeGreaterThan(0)
    const answers = await second.evaluate(
      async (files) => await Promise.all(files.map(async (file) => (await fetch(`/saas/assets/${file}`)).status)),
      asked,
    )
    expect(answers).toEqual(asked.map(() => 200))
    await the.context.setOffline(false)
  })

  it('and that the server has no more ends in words, not in a circle', async () => {
    const page = await enter('staff', '/app/home')
    let loads = 0
    page.on('load', () => (loads += 1))
    await the.served.deploy({ without: 'staff-', former: false })
    await toPrices(page)
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await isLoadedAnew(page, '.broken-detail')
    expect(await buildOf(page)).toBe(the.releases.newer)
    await page.waitForTimeout(3_000)
    expect(loads).toBeLessThanOrEqual(2)
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  }, 180_000)
})

describe('the way past a broken worker (W-11)', () => {
  const workers = (page: Page) =>
    page.evaluate(async () => ({
      registrations: (await navigator.serviceWorker.getRegistrations()).length,
      caches: (await caches.keys()).length,
      controlled: navigator.serviceWorker.controller !== null,
    }))

  it('takes worker and files away; what waits is sent by the page, and nothing typed is lost', async () => {
    const [page, other] = [await enter(), await enter()]
    // A write that waits.
    await the.served.portal.stop()
    await typeIn(page, 'Waiting Wanda')
    await page.locator('[role=dialog] input[name=email]').fill('wanda@acme.example')
    await page.locator('[role=dialog] button[type=submit]').click()
    await page.locator('.bar-waiting').waitFor()
    await typeIn(other)

    await the.served.portal.start({ WORKER_BYPASS: '1' })
    await lookForUpdate(page)
    await isLoadedAnew(page)
    await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
    await expect.poll(() => workers(page), patient).toEqual({ registrations: 0, caches: 0, controlled: false })
    expect([await isSamePage(other), await typed(other)]).toEqual([true, 'Typed but not saved'])
    // Under a worker that lets everything through, a page talks to the server by itself.
    await other.locator('[role=dialog] input[name=email]').fill('past@acme.example')
    await other.locator('[role=dialog] button[type=submit]').click()
    await other.locator('[role=dialog]').waitFor({ state: 'detached' })
    await page.goto(`${the.served.portal.url}/saas/app/user?searchText=Wanda`)
    await listed(page)
    expect(await page.locator('tbody').innerText()).toContain('Waiting Wanda')

    // As long as a page of then is open, its worker that does nothing is there and is taken up again.
    await other.close()
    await the.served.portal.stop()
    await the.served.portal.start()
    await page.reload()
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    // It may not be gone yet when the page asks for one again: then the good one waits beside it, and is asked about.
    const nowIn = async () => {
      if (await reload(page).isVisible()) {
        await mark(page)
        await reload(page).click()
        await isLoadedAnew(page)
      }
      return await buildOf(page).catch(() => 'on its way')
    }
    await expect.poll(nowIn, { ...patient, interval: 1_000 }).toBe(the.releases.older)
  }, 180_000)
})
