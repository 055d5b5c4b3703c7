/** Months of backup traffic on the screen (contracts 3, 7, 9; M53, M127 to M129; A-31; D22, D31). */
import { screen } from '@testing-library/dom'
import { beforeEach, expect, it, vi } from 'vitest'
import { addMonths } from '#domain/period.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { backupOf, serviceIdOf, trafficOf } from '#tests/support/hosting/backups.ts'
import { described } from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import { arrived } from '#tests/support/pages/screen.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, says } = handsOn(the)
let admin: SignedIn
beforeEach(async () => {
  admin = await the.server.signIn('admin@acme')
})

const firstDay = () => `${today().slice(0, 7)}-01`
const monthsAgo = (count: number) => addMonths(firstDay(), -count)
const monthNamed = (count: number) => monthsAgo(count).slice(0, 7)

/** In effect, and subscribed to what causes traffic. Answers its page. */
async function buy(code: string): Promise<string> {
  const { id } = await bought(the.server, admin, { code, name: `Test ${code}`, period_start: today() })
  await backupOf(the.server, code, { period_start: today(), period_end: addMonths(today(), 6) })
  return `/app/contract/${id}?tab=subscribe`
}
const moved = async (code: string, gigabytes: number) => {
  const service_id = await serviceIdOf(the.server, code)
  await inTransaction(the.server.app, { role: 'portal_system' }, async (db) => {
    const { company_id } = await db
      .selectFrom('service')
      .select('company_id')
      .where('id', '=', service_id)
      .executeTakeFirstOrThrow()
    const row = { company_id, service_id, run: `backup-${code}`, month: today().slice(0, 7), bytes: gigabytes * 1e9 }
    await db.insertInto('traffic_moved').values(row).execute()
  })
}
const table = () => screen.getByRole('table', { name: /^Backup traffic of/ })
const rows = () => [...table().querySelectorAll('tbody tr')]
const cells = () => rows().map((row) => [...row.children].map(({ textContent }) => textContent?.trim()))

it('says this month so far with a bar, and beyond the free GB in red, with a sign and in words (M127, A-31)', async () => {
  const path = await buy('moving')
  await moved('moving', 38)
  await the.browser.openAs('admin@acme', path)
  await says('38.00 GB used, 50.00 GB are free')
  const bar = await screen.findByRole('meter', { name: `Traffic of ${today().slice(0, 7)}` })
  expect(bar.getAttribute('aria-valuetext')).toBe('38.00 GB used, 50.00 GB are free')
  expect([bar.className, bar.querySelector('span')?.style.inlineSize]).toEqual(['backup-meter', '76%'])
  await says('12.00 GB are left free of charge.')
  expect(document.querySelector('.backup-month .backup-over')).toBeNull()

  const over = await buy('beyond')
  await moved('beyond', 71)
  await the.browser.open(over)
  await says('21.00 GB over the free limit: HKD 262.50 so far.')
  const said = document.querySelector('.backup-month .backup-over')
  expect(said?.querySelector('.icon')).not.toBeNull()
  expect(document.querySelector('.backup-meter')?.className).toBe('backup-meter over')
})

nightly(
  'lists months by their name, five a page, with what is charged and why; what is over the limit says so (M53, M127, M128)',
  async () => {
    const path = await buy('listed')
    for (let ago = 6; ago >= 1; ago -= 1)
      await trafficOf(the.server, 'listed', {
        period_end: monthsAgo(ago - 1),
        pdb_traffic: ago === 1 ? '63.00' : '50.00',
        isPaid: ago === 1,
      })
    await the.browser.openAs('admin@acme', path)
    await expect.poll(() => rows().length).toBe(5)
    const [first, second] = cells()
    expect(first?.slice(0, 5)).toEqual([monthNamed(1), '63.00over the free limit', '50.00', '13.00', 'HKD 162.50'])
    expect(first?.[5]).toMatch(/^paid \d{4}-\d\d-\d\d$/)
    expect(first?.[6]).toMatch(/^I\d{12}$/)
    expect(second?.slice(0, 7)).toEqual([monthNamed(2), '50.00', '50.00', '0.00', 'HKD 0.00', 'nothing to pay', '–'])
    expect(rows().map((row) => row.querySelectorAll('.backup-over .icon').length)).toEqual([1, 0, 0, 0, 0])
    await press(`Why this amount: traffic of ${monthNamed(1)}`)
    const why = await dialog(/^Why this amount/)
    await expect.poll(() => why.element.textContent).toContain('13.00 GB above the free ones, at 12.50 each')
    await the.user.keyboard('{Escape}')
    await noDialog()
    // What nothing was asked for has no document.
    expect(screen.getAllByRole('button', { name: /^Print the traffic of/ })).toHaveLength(1)
    const opened = vi.spyOn(window, 'open').mockReturnValue(null)
    await press(`Print the traffic of ${monthNamed(1)}`)
    await screen.findByText(/is ready/)
    expect(opened).toHaveBeenCalled()
    opened.mockRestore()
  },
)

it('warns of what is not paid, with its last second, and of what is overdue; both are paid from here and said on home (D31)', async () => {
  const path = await buy('owed')
  await trafficOf(the.server, 'owed', {
    period_end: firstDay(),
    isPaid: false,
    create_time: Date.now() - 30 * 86_400_000,
  })
  await trafficOf(the.server, 'owed', { period_end: monthsAgo(1), isPaid: false })
  await the.browser.openAs('admin@acme', path)
  await says(`Backup traffic of ${monthNamed(1)} is overdue:`)
  await says(`Backup traffic of ${monthNamed(2)} is unpaid:`)
  await screen.findByText(/^Pay by \d{4}-\d\d-\d\d 23:59:59, or the backups to S3 are suspended\.$/)
  // Which day it is, is asked for.
  await expect.poll(() => cells()[0]?.[5]).toMatch(/^overdue since \d{4}-\d\d-\d\d$/)
  await expect.poll(() => cells()[1]?.[5]).toMatch(/^due \d{4}-\d\d-\d\d$/)
  const [first] = await screen.findAllByRole('button', { name: 'Pay' })
  await the.user.click(first as HTMLElement)
  const pay = await dialog(`Pay the traffic of ${monthNamed(1)}`)
  await pay.findByText('HKD 162.50')
  await the.user.keyboard('{Escape}')
  await noDialog()
  the.browser.goOffline()
  const whyNot = () => described(screen.getAllByRole('button', { name: 'Pay' })[0] ?? document.body)
  await expect.poll(whyNot).toBe('This needs a connection.')
  the.browser.goOnline()
  await the.browser.open('/app/home')
  const link = () => screen.findByRole('link', { name: /^Pay Test owed: Backup traffic of .*, overdue since / })
  await expect.poll(async () => (await link()).getAttribute('href')).toContain(path)
  await the.user.click(await link())
  await says(`Backup traffic of ${monthNamed(1)} is overdue:`)
})

nightly('is paid by the same ways as a contract, and the warning goes with it (D66)', async () => {
  const path = await buy('settled')
  await trafficOf(the.server, 'settled', { period_end: firstDay(), isPaid: false })
  const id = (
    await admin.send({ url: `/api/pdb/traffic?serviceId=${await serviceIdOf(the.server, 'settled')}` })
  ).json().data[0].id
  // As it comes back from a gateway that has taken the money meanwhile.
  await the.browser.openAs('admin@acme', `${path}&paid=TRAFFIC-${id}&payment=cancelled`)
  await says('It was cancelled before anything was paid.')
  // By who wanted to pay: nothing to be alarmed by.
  const note = document.querySelector('.payment-note')
  expect([note?.className, note?.getAttribute('role')]).toEqual(['payment-note cancelled', 'status'])
  await press('Close')
  await expect.poll(() => screen.queryByText(/^It was cancelled/)).toBeNull()
  await arrived(the.browser, path)
  await screen.findByRole('button', { name: 'Back up now' })
})
