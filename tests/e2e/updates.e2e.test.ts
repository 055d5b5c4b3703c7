/** What a new version does to open pages: it asks, it waits, it takes all tabs along, or it does nothing. The campaign has more. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openUpdates, patient } from '#tests/support/updates.ts'
import { listed } from '#tests/support/visit.ts'

const { the, bar, reload, enter, isSamePage, isLoadedAnew, lookForUpdate, buildOf, typeIn, typed } = openUpdates()

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
    await bar(first).getByText('what is typed in this or another tab').waitFor()
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
})

describe('code that a new version took away under an open page', () => {
  const toPrices = (page: Page) => page.locator('.rail nav a', { hasText: 'Price lists' }).click()
  const prices = (page: Page) => page.getByRole('heading', { level: 1, name: 'Price lists' })

  it('is brought by one loading of the page where a release was missed, by way of the new version', async () => {
    const page = await enter('staff', '/app/home')
    await the.served.deploy({ former: false })
    await toPrices(page)
    await isLoadedAnew(page)
    await prices(page).waitFor()
    expect(await buildOf(page)).toBe(the.releases.newer)
  })
})
