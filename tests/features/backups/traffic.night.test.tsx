/** Tests the months of backup traffic (contracts 3, 7, 9; M53, M127 to M129; A-31; D22, D31). */
import { screen } from '@testing-library/dom'
import { beforeEach, expect, it, vi } from 'vitest'
import { addMonths } from '#domain/plain-dates.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { createBackupOrder, readServiceId, createTraffic } from '#tests/support/hosting/backups.ts'
import { readDescription } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, findText } = createUserActions(fixture)
let adminSession: SignedIn
beforeEach(async () => {
  adminSession = await fixture.server.signIn('admin@acme')
})

const getFirstDay = () => `${today().slice(0, 7)}-01`
const getMonthsAgo = (count: number) => addMonths(getFirstDay(), -count)
const getMonthName = (count: number) => getMonthsAgo(count).slice(0, 7)

/** Buys a contract with a backup subscription, which causes traffic. Returns the path of its page. */
async function buyContract(code: string): Promise<string> {
  const { id } = await buyOrder(fixture.server, adminSession, { code, name: `Test ${code}`, period_start: today() })
  await createBackupOrder(fixture.server, code, { period_start: today(), period_end: addMonths(today(), 6) })
  return `/app/contract/${id}?tab=subscribe`
}
const writeMovedTraffic = async (code: string, gigabytes: number) => {
  const service_id = await readServiceId(fixture.server, code)
  await runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
    const { company_id } = await db
      .selectFrom('service')
      .select('company_id')
      .where('id', '=', service_id)
      .executeTakeFirstOrThrow()
    const row = { company_id, service_id, run: `backup-${code}`, month: today().slice(0, 7), bytes: gigabytes * 1e9 }
    await db.insertInto('traffic_moved').values(row).execute()
  })
}
const findTable = () => screen.getByRole('table', { name: /^Backup traffic of/ })
const findRows = () => [...findTable().querySelectorAll('tbody tr')]
const readCells = () => findRows().map((row) => [...row.children].map(({ textContent }) => textContent?.trim()))

it('The traffic of this month is shown as a bar, and above the free GB also in red and in words (M127, A-31)', async () => {
  const path = await buyContract('moving')
  await writeMovedTraffic('moving', 38)
  await fixture.browser.openAs('admin@acme', path)
  await findText('38.00 GB used, 50.00 GB are free')
  const meter = await screen.findByRole('meter', { name: `Traffic of ${today().slice(0, 7)}` })
  expect(meter.getAttribute('aria-valuetext')).toBe('38.00 GB used, 50.00 GB are free')
  expect([meter.className, meter.querySelector('span')?.style.inlineSize]).toEqual(['backup-meter', '76%'])
  await findText('12.00 GB of free traffic left.')
  expect(document.querySelector('.backup-month .backup-over')).toBeNull()

  const secondPath = await buyContract('beyond')
  await writeMovedTraffic('beyond', 71)
  await fixture.browser.open(secondPath)
  await findText('21.00 GB over the free limit: HKD 262.50 so far.')
  const overLimitNote = document.querySelector('.backup-month .backup-over')
  expect(overLimitNote?.querySelector('.icon')).not.toBeNull()
  expect(document.querySelector('.backup-meter')?.className).toBe('backup-meter over')
})

nightly(
  'Months are listed five per page with their charges, and those over the limit are marked (M53, M127, M128)',
  async () => {
    const path = await buyContract('listed')
    for (let monthCount = 6; monthCount >= 1; monthCount -= 1)
      await createTraffic(fixture.server, 'listed', {
        period_end: getMonthsAgo(monthCount - 1),
        pdb_traffic: monthCount === 1 ? '63.00' : '50.00',
        isPaid: monthCount === 1,
      })
    await fixture.browser.openAs('admin@acme', path)
    await expect.poll(() => findRows().length).toBe(5)
    const [firstRow, secondRow] = readCells()
    expect(firstRow?.slice(0, 5)).toEqual([getMonthName(1), '63.00over the free limit', '50.00', '13.00', 'HKD 162.50'])
    expect(firstRow?.[5]).toMatch(/^paid \d{4}-\d\d-\d\d$/)
    expect(firstRow?.[6]).toMatch(/^I\d{12}$/)
    expect(secondRow?.slice(0, 7)).toEqual([
      getMonthName(2),
      '50.00',
      '50.00',
      '0.00',
      'HKD 0.00',
      'nothing to pay',
      '–',
    ])
    expect(findRows().map((row) => row.querySelectorAll('.backup-over .icon').length)).toEqual([1, 0, 0, 0, 0])
    await press(`Why this amount: traffic of ${getMonthName(1)}`)
    const explanation = await dialog(/^Why this amount/)
    await expect.poll(() => explanation.element.textContent).toContain('13.00 GB above the free traffic, at 12.50 each')
    await fixture.user.keyboard('{Escape}')
    await noDialog()
    // A month without charges has no document.
    expect(screen.getAllByRole('button', { name: /^Print the traffic of/ })).toHaveLength(1)
    const openWindow = vi.spyOn(window, 'open').mockReturnValue(null)
    await press(`Print the traffic of ${getMonthName(1)}`)
    await screen.findByText(/is ready/)
    expect(openWindow).toHaveBeenCalled()
    openWindow.mockRestore()
  },
)

it('Unpaid and overdue traffic is shown with its deadline and on the home page, and can be paid (D31)', async () => {
  const path = await buyContract('owed')
  await createTraffic(fixture.server, 'owed', {
    period_end: getFirstDay(),
    isPaid: false,
    create_time: Date.now() - 30 * 86_400_000,
  })
  await createTraffic(fixture.server, 'owed', { period_end: getMonthsAgo(1), isPaid: false })
  await fixture.browser.openAs('admin@acme', path)
  await findText(`Backup traffic of ${getMonthName(1)} is overdue:`)
  await findText(`Backup traffic of ${getMonthName(2)} is unpaid:`)
  await screen.findByText(/^Pay by \d{4}-\d\d-\d\d 23:59:59, or the backups to S3 are suspended\.$/)
  // Waits for the current day, which is loaded by a request.
  await expect.poll(() => readCells()[0]?.[5]).toMatch(/^overdue since \d{4}-\d\d-\d\d$/)
  await expect.poll(() => readCells()[1]?.[5]).toMatch(/^due \d{4}-\d\d-\d\d$/)
  const [firstPayButton] = await screen.findAllByRole('button', { name: 'Pay' })
  await fixture.user.click(firstPayButton as HTMLElement)
  const payDialog = await dialog(`Pay the traffic of ${getMonthName(1)}`)
  await payDialog.findByText('HKD 162.50')
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  fixture.browser.goOffline()
  const readPayReason = () => readDescription(screen.getAllByRole('button', { name: 'Pay' })[0] ?? document.body)
  await expect.poll(readPayReason).toBe('This needs a connection.')
  fixture.browser.goOnline()
  await fixture.browser.open('/app/home')
  const readDuties = () => [...document.querySelectorAll('.home-item')].map(({ textContent }) => textContent).join('\n')
  await expect
    .poll(readDuties)
    .toMatch(/HKD 162\.50 · overdue since \d{4}-\d\d-\d\d · Backups to S3 are suspended until it is paid\./)
  await press(`Pay Backup traffic of Test owed in ${getMonthName(1)}`)
  const homeDialog = await dialog('Pay owed')
  await homeDialog.findByText('HKD 162.50')
  await homeDialog.findByText(`Backup traffic of ${getMonthName(1)}`)
})

nightly('Traffic is paid in the same ways as a contract, and the warning disappears (D66)', async () => {
  const path = await buyContract('settled')
  await createTraffic(fixture.server, 'settled', { period_end: getFirstDay(), isPaid: false })
  const id = (
    await adminSession.send({ url: `/api/pdb/traffic?serviceId=${await readServiceId(fixture.server, 'settled')}` })
  ).json().data[0].id
  // Simulates the return from a gateway that received the money in the meantime.
  await fixture.browser.openAs('admin@acme', `${path}&paid=TRAFFIC-${id}&payment=cancelled`)
  await findText('It was cancelled before anything was paid.')
  // The user cancelled the payment, so the note is not an alert.
  const note = document.querySelector('.payment-note')
  expect([note?.className, note?.getAttribute('role')]).toEqual(['payment-note cancelled', 'status'])
  await press('Close')
  await expect.poll(() => screen.queryByText(/^It was cancelled/)).toBeNull()
  await waitForPath(fixture.browser, path)
  await screen.findByRole('button', { name: 'Back up now' })
})
