import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fillTrail } from '#tests/campaigns/long-requests.ts'
import { openBrowser, type Portal, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

/**
 * Number of entries in each company's trail. With steps of 500 entries and their pauses the job takes about 14 seconds. It must still be
 * running after four kills of the worker of up to three seconds each.
 */
const entries = 1_400
const restMs = 1_500

let portal: Portal
let browser: Browser
beforeAll(async () => {
  ;[portal, browser] = await Promise.all([
    startPortal({ JOB_REST_MS: String(restMs), LOG_LEVEL: 'info' }),
    openBrowser(),
  ])
  await fillTrail(portal, entries)
})
afterAll(async () => {
  await browser.close()
  await portal.close()
})

let context: BrowserContext
afterEach(() => context.close())

/** Logs a staff user in on a fresh device. */
async function openStaffPage(): Promise<Page> {
  context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await signIn(page, portal, 'staff')
  return page
}

const show = async (page: Page) => {
  await page.goto(`${portal.url}/saas/app/activity?tab=tasks`)
  await page.locator('main h1').waitFor()
}
const clickVerify = (page: Page) =>
  page.locator('main').getByRole('button', { name: 'Verify the audit trail', exact: true }).click()
const getProgressBar = (page: Page) =>
  page.locator('main').getByRole('progressbar', { name: 'Progress: Verify the audit trail' })
const readPercent = async (page: Page) => Number(await getProgressBar(page).getAttribute('aria-valuenow'))
const getResult = (page: Page) => page.locator('main .request').filter({ hasText: 'as they were written' })
const isControlled = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null)

const countPolls = () => portal.output().split('"route":"/api/request/:id"').length - 1

describe('a long request in a real browser', () => {
  it('is polled about once a second, regardless of the number of open pages', async () => {
    const page = await openStaffPage()
    const pages = [page, await context.newPage(), await context.newPage()]
    for (const openPage of pages) await show(openPage)
    for (const openPage of pages) await isControlled(openPage)
    await clickVerify(page)
    for (const openPage of pages) await getProgressBar(openPage).waitFor()
    const pollCountBefore = countPolls()
    const startedAt = performance.now()
    await page.waitForTimeout(7_000)
    const perSecond = (countPolls() - pollCountBefore) / ((performance.now() - startedAt) / 1000)
    expect(perSecond).toBeLessThanOrEqual(1.05 + 1 / 7)
    // A poller that sleeps for five seconds would halve the rate. A busy machine alone does not reduce it that much.
    expect(perSecond).toBeGreaterThan(0.6)
    for (const openPage of pages) await getResult(openPage).waitFor({ timeout: 45_000 })
    console.log(`polls per second over ${pages.length} pages: ${perSecond.toFixed(2)}`)
  })

  it("gets progress over a websocket that the page's policy allows, or by polling if the socket closes (R-26)", async () => {
    const page = await openStaffPage()
    const complaints: string[] = []
    const frames: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to connect/i.test(message.text())) complaints.push(message.text())
    })
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))))
    await show(page)
    await clickVerify(page)
    await expect.poll(() => frames.length, { timeout: 10_000 }).toBeGreaterThan(2)
    expect(JSON.parse(frames.at(-1) ?? '')).toMatchObject({ code: 'verify-trail', data: { status: 'active' } })
    expect(complaints).toEqual([])
    await getResult(page).waitFor({ timeout: 45_000 })

    const pageWithoutSocket = await withoutSocket()
    await show(pageWithoutSocket.page)
    await clickVerify(pageWithoutSocket.page)
    const seenPercents: number[] = []
    await expect
      .poll(
        async () => {
          if ((await getProgressBar(pageWithoutSocket.page).count()) > 0)
            seenPercents.push(await readPercent(pageWithoutSocket.page).catch(() => 0))
          return await getResult(pageWithoutSocket.page).count()
        },
        { timeout: 45_000, interval: 200 },
      )
      .toBe(2)
    expect(pageWithoutSocket.tries()).toBeGreaterThan(0)
    expect(pageWithoutSocket.tries()).toBeLessThan(25)
    const displayedPercents = seenPercents.filter((percent) => percent > 0)
    expect(displayedPercents).toEqual(displayedPercents.toSorted((a, b) => a - b))
  })

  async function withoutSocket() {
    const page = await context.newPage()
    let tries = 0
    await page.routeWebSocket(/progress/, async (socket) => {
      tries += 1
      await socket.close()
    })
    return { page, tries: () => tries }
  }

  it('survives a reload, a killed worker and a server restart, and shows its result (M46, R-24, R-25)', async () => {
    const page = await openStaffPage()
    await show(page)
    await isControlled(page)
    await clickVerify(page)
    await expect.poll(() => readPercent(page), { timeout: 10_000 }).toBeGreaterThan(0)

    await page.reload()
    await getProgressBar(page).waitFor()
    const worker = await controlWorker(page)
    await expect.poll(() => worker.isRunning()).toBe(true)
    const percentBefore = await readPercent(page)
    expect(percentBefore).toBeGreaterThan(0)
    const gaps: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      await expect.poll(() => worker.isRunning()).toBe(true)
      const pollsBefore = countPolls()
      const startedAt = performance.now()
      await worker.stop()
      await expect.poll(() => countPolls(), { interval: 20, timeout: 5_000 }).toBeGreaterThan(pollsBefore)
      gaps.push(Math.round(performance.now() - startedAt))
    }
    console.log(`ms from the worker's death to the next poll: ${gaps.join(', ')}`)
    expect(Math.max(...gaps)).toBeLessThan(3_000)
    expect(await readPercent(page)).toBeGreaterThan(percentBefore)

    await portal.kill()
    await portal.start()
    const percentAfterKill = await readPercent(page)
    await worker.stop()
    await getResult(page).waitFor({ timeout: 45_000 })
    expect(percentAfterKill).toBeLessThan(100)
    expect(await getResult(page).innerText()).toMatch(/4,\d{3} entries are as they were written.*Companies: 3\./)
    // A page opened later shows the result too, while the server is down.
    await portal.stop()
    await page.reload()
    await getResult(page).waitFor()
  })
})
