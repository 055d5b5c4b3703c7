/** A long request on the screen. How often it is asked about, and what strikes in between do, campaigns measure. */
import { expect, it } from 'vitest'
import { seriousTrouble } from '#tests/support/browser/browser.ts'
import { controlled, resumedPage, setUp } from '#tests/support/browser/visit.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

/** It rests behind its first step until the server is started anew, so that nothing here is a race. */
const setup = setUp({ JOB_REST_MS: '60000' })

it('is followed from every page and by a websocket, survives a reload, its worker’s death and a restart, and shows its result (C-27, M46, R-24 to R-26)', async () => {
  const page = await resumedPage(setup, 'staff', '/app/user')
  const complaints: string[] = []
  const heard: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to connect/i.test(message.text())) complaints.push(message.text())
  })
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => heard.push(String(payload))))
  await controlled(page)
  await page.getByRole('button', { name: 'Background tasks', exact: true }).click()
  const panel = page.getByRole('dialog', { name: 'Background tasks' })
  await panel.getByText('No background tasks').waitFor()
  await panel.getByRole('button', { name: 'Verify the audit trail' }).click()
  await panel.getByRole('progressbar').waitFor()
  expect(await seriousTrouble(page)).toEqual([])
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  expect(JSON.parse(heard[0] ?? '')).toMatchObject({ code: 'verify-trail', data: { status: 'active' } })
  expect(complaints).toEqual([])

  await page.reload()
  const running = page.getByRole('button', { name: 'Background tasks: 1 running' })
  await running.waitFor()
  const worker = await controlWorker(page)
  await expect.poll(() => worker.isRunning()).toBe(true)
  await worker.stop()
  // Another page is told of it too. One that shows its end has told it: nothing is said elsewhere then.
  const other = await page.context().newPage()
  const showAll = () => other.goto(`${setup.the.portal.url}/saas/app/activity`)
  await showAll()
  await other.locator('main').getByRole('progressbar', { name: 'Progress: Check of the audit trail' }).waitFor()
  await other.goto('about:blank')
  await setup.the.portal.stop()
  await setup.the.portal.start({ JOB_REST_MS: '0' })
  const words = /\d entries are as they were written.*Companies: 3\./

  const toast = page.getByRole('status').filter({ hasText: 'Task finished: Check of the audit trail' })
  await toast.getByRole('button', { name: 'Show' }).click({ timeout: 45_000 })
  await panel.getByText(words).waitFor()
  await showAll()
  await other.locator('main .request').filter({ hasText: words }).waitFor()
  // Whoever comes later finds it as well, with the server away.
  await setup.the.portal.stop()
  await other.reload()
  await other.locator('main .request').filter({ hasText: words }).waitFor()
  await panel.getByRole('button', { name: 'Dismiss Check of the audit trail' }).click()
  await panel.getByText('No background tasks').waitFor()
})
