/**
 * Tests the effect of a new version on open pages in Chromium: it offers a reload, waits for unsaved input, reloads all tabs, or changes
 * nothing.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { setUpUpdates, longTimeout } from '#tests/support/browser/updates.ts'
import { waitForList } from '#tests/support/browser/browser-setup.ts'
import { stopOutgoingWhile } from '#tests/support/browser/worker-control.ts'

/** Time in ms after which the page must still wait for the busy worker. The write of the other page is sent much earlier. */
const busyMs = 20_000

const {
  fixture,
  getUpdateBar: updateBar,
  getReloadButton,
  enter,
  mark,
  isSamePage,
  isLoadedAnew,
  lookForUpdate,
  readBuild,
  typeUserName,
  readTypedName,
} = setUpUpdates()

const updateServiceWorker = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/saas/')
    if (!registration) return 'no worker is registered'
    // The listener is added before the update starts, because a fast installation can fail before the update is reported as started.
    const finalState = new Promise<string>((resolve) => {
      const watchInstalling = ({ installing }: ServiceWorkerRegistration) =>
        installing?.addEventListener('statechange', () => resolve(installing.state), { once: true })
      registration.addEventListener('updatefound', () => watchInstalling(registration), { once: true })
    })
    await registration.update()
    return await finalState
  })

describe('a new version', () => {
  it('offers a reload, waits for unsaved input in any tab, then reloads all tabs (P-15, W-10)', async () => {
    const [first, second, third] = [await enter(), await enter(), await enter()]
    await typeUserName(second)
    await fixture.served.deploy()
    await lookForUpdate(first)
    for (const page of [first, second, third]) await getReloadButton(page).waitFor()
    expect(await readBuild(first)).toBe(fixture.releases.olderBuild)

    await getReloadButton(first).click()
    await updateBar(first).getByText('what you typed in this or another tab').waitFor()
    expect(await Promise.all([first, second, third].map(isSamePage))).toEqual([true, true, true])
    expect(await readTypedName(second)).toBe('Typed but not saved')

    await second.keyboard.press('Escape')
    await second.getByRole('button', { name: 'Discard' }).click()
    await Promise.all([first, second, third].map((page) => isLoadedAnew(page)))
    for (const page of [first, second, third])
      await expect.poll(() => readBuild(page), longTimeout).toBe(fixture.releases.newerBuild)
    await expect.poll(() => updateBar(first).count(), longTimeout).toBe(0)
  })

  it('is not installed if a file is missing or is a login page; the old version still works offline (W-04)', async () => {
    const page = await enter()
    for (const deployOptions of [{ missingPart: 'inside-' }, { spoiledPart: 'inside-' }]) {
      await fixture.served.deploy(deployOptions)
      expect([deployOptions, await updateServiceWorker(page)]).toEqual([deployOptions, 'redundant'])
    }
    await fixture.served.portal.stop()
    await page.reload()
    await waitForList(page)
    expect(await readBuild(page)).toBe(fixture.releases.olderBuild)
    expect(await updateBar(page).count()).toBe(0)
  })

  it('keeps unsaved input if its worker takes over early, and the old page works with that worker', async () => {
    const [first, second] = [await enter(), await enter()]
    await typeUserName(second, 'Overlap Olga')
    await second.locator('[role=dialog] input[name=email]').fill('overlap@acme.example')
    await fixture.served.deploy()
    await lookForUpdate(first)
    await getReloadButton(first).waitFor()
    // Activates the worker without the pages' consent. This happens if the browser discards the old worker or if a tab was asleep.
    await first.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/saas/')
      registration?.waiting?.postMessage({ type: 'SKIP_WAITING' })
    })
    await isLoadedAnew(first)
    await updateBar(second).getByText('running in your other tabs').waitFor()
    expect(await readBuild(second)).toBe(fixture.releases.newerBuild)
    expect([await isSamePage(second), await readTypedName(second)]).toEqual([true, 'Overlap Olga'])

    await second.locator('[role=dialog] button[type=submit]').click()
    await second.locator('[role=dialog]').waitFor({ state: 'detached' })
    await second.goto(`${fixture.served.portal.url}/saas/app/user?searchText=Overlap`)
    await waitForList(second)
    expect(await second.locator('tbody').innerText()).toContain('Overlap Olga')
  })

  it('lets a busy old worker finish sending, and takes over when that worker has ended (0025)', async () => {
    const proxy = await openFaultProxy(Number(new URL(fixture.served.portal.url).port))
    try {
      const first = await enter('admin', '/app/user', proxy.url)
      const second = await enter('admin', '/app/user', proxy.url)
      await second.goto(`${proxy.url}/saas/app/user?user=new`)
      await second.locator('[role=dialog]').waitFor()
      await mark(second)
      await fixture.served.deploy()
      await lookForUpdate(first)
      await getReloadButton(first).waitFor()
      // The worker's fetch event lasts until the response arrives.
      proxy.set(({ path }) => (path === '/api/m18s/user' ? 'hang' : null))
      await first.evaluate(() => void fetch('/api/m18s/user'))
      await expect.poll(() => proxy.arrivals.some(({ fault }) => fault === 'hang'), longTimeout).toBe(true)

      await getReloadButton(first).click()
      await updateBar(first).getByText('is starting').waitFor()
      const startedAt = Date.now()
      await second.locator('[role=dialog] input[name=name]').fill('Meanwhile Mei')
      await second.locator('[role=dialog] input[name=email]').fill('mei@acme.example')
      await second.locator('[role=dialog] button[type=submit]').click()
      const hasSentWrite = () => proxy.arrivals.some(({ method, keys }) => method === 'POST' && keys.length > 0)
      await expect.poll(hasSentWrite, longTimeout).toBe(true)
      expect([await isSamePage(first), await isSamePage(second)]).toEqual([true, true])

      await first.waitForTimeout(Math.max(0, busyMs - (Date.now() - startedAt)))
      expect(await updateBar(first).getByText('is starting').count()).toBe(1)
      await Promise.all([isLoadedAnew(first), isLoadedAnew(second)])
      expect(await readBuild(first)).toBe(fixture.releases.newerBuild)
    } finally {
      await proxy.close()
    }
  }, 180_000)

  it('takes over by itself if the running build is below the minimum, but waits for unsaved input (W-09)', async () => {
    const page = await enter()
    await typeUserName(page)
    const minimum = fixture.releases.newerBuild.split('-')[0] ?? ''
    await fixture.served.deploy({ settings: { MIN_BUILD: minimum } })
    // The worker learns the minimum from the next response and notifies the page.
    await page.evaluate(() => fetch('/api/m18s/user'))
    await updateBar(page).getByText('what you typed in this or another tab').waitFor()
    expect(await updateBar(page).getByRole('button', { name: 'Later' }).count()).toBe(0)
    expect([await isSamePage(page), await readTypedName(page)]).toEqual([true, 'Typed but not saved'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await isLoadedAnew(page)
    expect(await readBuild(page)).toBe(fixture.releases.newerBuild)
  })
})

describe('code that a new version removed while a page was open', () => {
  // Navigates within the page, like a menu link would. The menu has no link to this page.
  const openPrices = (page: Page) =>
    page.evaluate(() => {
      history.pushState({ idx: 1 }, '', '/saas/app/m18/price')
      dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
    })
  const getPricesHeading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Price lists' })

  it('leads to one reload into the new version if the server no longer serves it', async () => {
    const page = await enter('staff', '/app/home')
    await fixture.served.deploy({ hasOlderFiles: false })
    await openPrices(page)
    await isLoadedAnew(page)
    await getPricesHeading(page).waitFor()
    expect(await readBuild(page)).toBe(fixture.releases.newerBuild)
  })

  it('is still served from the file store, without a reload', async () => {
    const page = await enter('staff', '/app/home')
    await fixture.served.deploy()
    await openPrices(page)
    await getPricesHeading(page).waitFor()
    expect([await isSamePage(page), await readBuild(page)]).toEqual([true, fixture.releases.olderBuild])
  })

  it('is available offline for a page that stays open under the new worker', async () => {
    const [first, second] = [await enter(), await enter()]
    await typeUserName(second)
    await fixture.served.deploy()
    await lookForUpdate(first)
    await getReloadButton(first).waitFor()
    await first.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/saas/')
      registration?.waiting?.postMessage({ type: 'SKIP_WAITING' })
    })
    await stopOutgoingWhile(second, updateBar(second).getByText('running in your other tabs').waitFor())
    await fixture.context.setOffline(true)
    const olderFiles = fixture.releases.olderFiles.filter((file) => !/^(staff|signup)-/.test(file))
    expect(olderFiles.length).toBeGreaterThan(0)
    const statuses = await second.evaluate(
      async (files) => await Promise.all(files.map(async (file) => (await fetch(`/saas/assets/${file}`)).status)),
      olderFiles,
    )
    expect(statuses).toEqual(olderFiles.map(() => 200))
    await fixture.context.setOffline(false)
  })

  it('leads to an error message, not to a reload loop, if the new version lacks it too', async () => {
    const page = await enter('staff', '/app/home')
    let loadCount = 0
    page.on('load', () => (loadCount += 1))
    await fixture.served.deploy({ missingPart: 'staff-', hasOlderFiles: false })
    await openPrices(page)
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await isLoadedAnew(page, '.broken-detail')
    expect(await readBuild(page)).toBe(fixture.releases.newerBuild)
    await page.waitForTimeout(3_000)
    expect(loadCount).toBeLessThanOrEqual(2)
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(1)
  }, 180_000)
})

describe('recovery from a broken worker (W-11)', () => {
  const readWorkerState = (page: Page) =>
    page.evaluate(async () => ({
      registrations: (await navigator.serviceWorker.getRegistrations()).length,
      caches: (await caches.keys()).length,
      controlled: navigator.serviceWorker.controller !== null,
    }))

  it('removes worker and files; the page sends the waiting writes and keeps unsaved input', async () => {
    const [page, other] = [await enter(), await enter()]
    await fixture.served.portal.stop()
    await typeUserName(page, 'Waiting Wanda')
    await page.locator('[role=dialog] input[name=email]').fill('wanda@acme.example')
    await page.locator('[role=dialog] button[type=submit]').click()
    await page.locator('.bar-waiting').waitFor()
    await typeUserName(other)

    await fixture.served.portal.start({ WORKER_BYPASS: '1' })
    await lookForUpdate(page)
    await isLoadedAnew(page)
    await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
    await expect
      .poll(() => readWorkerState(page), longTimeout)
      .toEqual({ registrations: 0, caches: 0, controlled: false })
    expect([await isSamePage(other), await readTypedName(other)]).toEqual([true, 'Typed but not saved'])
    // The worker forwards all requests unchanged, so the page itself handles its requests.
    await other.locator('[role=dialog] input[name=email]').fill('past@acme.example')
    await other.locator('[role=dialog] button[type=submit]').click()
    await other.locator('[role=dialog]').waitFor({ state: 'detached' })
    await page.goto(`${fixture.served.portal.url}/saas/app/user?searchText=Wanda`)
    await waitForList(page)
    expect(await page.locator('tbody').innerText()).toContain('Waiting Wanda')

    // While an old page is open, its inactive worker stays registered and may be reused.
    await other.close()
    await fixture.served.portal.stop()
    await fixture.served.portal.start()
    await page.reload()
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    // The inactive worker may still exist when the page registers again. Then the new one waits, and the page offers it.
    const updateAndReadBuild = async () => {
      if (await getReloadButton(page).isVisible()) {
        await mark(page)
        await getReloadButton(page).click()
        await isLoadedAnew(page)
      }
      return await readBuild(page).catch(() => 'on its way')
    }
    await expect.poll(updateAndReadBuild, { ...longTimeout, interval: 1_000 }).toBe(fixture.releases.olderBuild)
  }, 180_000)
})
