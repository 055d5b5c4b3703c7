/** Tests a long request on the screen. Campaigns measure its polling rate and test interruptions. */
import { expect, it } from 'vitest'
import { findViolations } from '#tests/support/browser/browser.ts'
import { waitForController, resumePage, setUp } from '#tests/support/browser/browser-setup.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

/** The job pauses for a minute after its first step, so that it is still running when the test restarts the server. */
const setup = setUp({ JOB_REST_MS: '60000' })

it('A long request is shown on all pages, and survives a reload and restarts (C-27, M46, R-24 to R-26)', async () => {
  const page = await resumePage(setup, 'staff', '/app/user')
  const complaints: string[] = []
  const frames: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to connect/i.test(message.text())) complaints.push(message.text())
  })
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => frames.push(String(payload))))
  await waitForController(page)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await panel.getByText('No background tasks').waitFor()
  await panel.getByRole('button', { name: 'Verify the audit trail', exact: true }).click()
  await panel.getByRole('progressbar').waitFor()
  expect(await findViolations(page)).toEqual([])
  await expect.poll(() => frames.length).toBeGreaterThan(0)
  expect(JSON.parse(frames[0] ?? '')).toMatchObject({ code: 'verify-trail', data: { status: 'active' } })
  expect(complaints).toEqual([])

  await page.reload()
  const runningButton = page.getByRole('button', { name: /1 task running/ })
  await runningButton.waitFor()
  const worker = await controlWorker(page)
  await expect.poll(() => worker.isRunning()).toBe(true)
  await worker.stop()
  // Another page is notified too. A page that already shows the result suppresses the notification elsewhere.
  const other = await page.context().newPage()
  const showAll = () => other.goto(`${setup.fixture.portal.url}/saas/app/activity?tab=tasks`)
  await showAll()
  await other.locator('main').getByRole('progressbar', { name: 'Progress: Verify the audit trail' }).waitFor()
  await other.goto('about:blank')
  await setup.fixture.portal.stop()
  await setup.fixture.portal.start({ JOB_REST_MS: '0' })
  const resultText = /\d entries are as they were written.*Companies: 3\./

  const toast = page.getByRole('status').filter({ hasText: 'Task finished: Verify the audit trail' })
  await toast.getByRole('button', { name: 'Show' }).click({ timeout: 45_000 })
  await panel.getByText(resultText).waitFor()
  await showAll()
  await other.locator('main .request').filter({ hasText: resultText }).waitFor()
  // A page opened later shows the result too, while the server is down.
  await setup.fixture.portal.stop()
  await other.reload()
  await other.locator('main .request').filter({ hasText: resultText }).waitFor()
  await panel.getByRole('button', { name: 'Dismiss Verify the audit trail' }).click()
  await panel.getByText('No background tasks').waitFor()
})
