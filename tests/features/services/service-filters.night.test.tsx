/** Tests the groups of services that staff filter by, online and offline. */
import { expect, it } from 'vitest'
import { addDays } from '#domain/plain-dates.ts'
import { updateService } from '#server/db/hosting/services.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { setUpServicePages } from '#tests/features/services/service-pages.ts'
import { getNamedField } from '#tests/support/pages/fields.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'

const { fixture, fetchService } = setUpServicePages()
const readCodes = () => [...document.querySelectorAll('tbody .service-code')].map(({ textContent }) => textContent)
const choose = (label: string) => fixture.user.selectOptions(getNamedField('show'), label)

it('Staff filter services that need a reboot, also offline, and services whose contract ends soon', async () => {
  const { id, expired_date: day } = await fetchService('acmetest')
  await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
    updateService(db, id, { needs_reboot: true }, fixture.server.clock.now),
  )
  // Today is 30 days before the last day of the contract.
  const lastDay = day ?? ''
  fixture.server.clock.now = Date.parse(`${addDays(lastDay, -30)}T10:00:00+08:00`)
  await fixture.browser.openAs('delete@m18', '/app/service')
  await expect.poll(() => readCodes().length).toBeGreaterThan(1)
  await choose('Needs reboot')
  await waitForPath(fixture.browser, '/app/service?show=reboot')
  await expect.poll(readCodes).toEqual(['acmetest'])

  // The filter uses the last day of the contract, as the row shows it, and both days are included.
  const staff = await fixture.server.signIn('delete@m18')
  const listCodes = async (from: string, until: string): Promise<string[]> =>
    (await staff.send({ url: `/api/aws/service?results=50&expiresFrom=${from}&expiresUntil=${until}` }))
      .json()
      .data.map(({ code }: { code: string }) => code)
  expect(await listCodes(lastDay, lastDay)).toContain('acmetest')
  expect(await listCodes(addDays(lastDay, 1), addDays(lastDay, 30))).not.toContain('acmetest')
  expect(await listCodes(addDays(lastDay, -30), addDays(lastDay, -1))).not.toContain('acmetest')

  await choose('All')
  await expect.poll(() => readCodes().length).toBeGreaterThan(1)
  await choose('Ends in 30 days')
  await waitForPath(fixture.browser, '/app/service?show=ending')
  await expect.poll(readCodes).toEqual(['acmetest'])

  fixture.browser.goOffline()
  await choose('All')
  await expect.poll(() => readCodes().length).toBeGreaterThan(1)
  await choose('Needs reboot')
  await expect.poll(readCodes).toEqual(['acmetest'])
})
