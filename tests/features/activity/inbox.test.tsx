/** Tests the inbox as its user sees it: unread first, marks that work offline, and the tabs of the panel and the page. */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import type { NewNotification } from '#server/db/notifications/notifications.ts'
import { insertNotification } from '#server/db/notifications/notifications.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog } = createUserActions(fixture)

async function notify(...notifications: Partial<NewNotification>[]): Promise<number> {
  const { app } = fixture.server
  return await writeAsSystem(app, async (db) => {
    // A sign-in by the test would make the browser of the page a new device.
    const user = await db
      .selectFrom('portal_user')
      .select('id')
      .where('email', '=', 'admin@acme.example')
      .executeTakeFirstOrThrow()
    for (const [index, notification] of notifications.entries())
      await insertNotification(
        db,
        user.id,
        { kind: 'service-down', eventKey: `event ${index}`, orderId: null, facts: { code: 'acmehr' }, ...notification },
        app.clock(),
      )
    return user.id
  })
}

const countUnread = (userId: number) =>
  writeAsSystem(fixture.server.app, async (db) => {
    const rows = await db
      .selectFrom('notification')
      .select('id')
      .where('user_id', '=', userId)
      .where('read_time', 'is', null)
      .execute()
    return rows.length
  })

const paymentDue = {
  kind: 'payment-due',
  facts: {
    payable: 'order',
    type: 'create',
    code: 'acmehr',
    currency: 'HKD',
    amount: '4877.50',
    due: '2026-03-09 23:59:59',
  },
} as const

it('The bell counts unread notifications, and all are marked as read while offline and sent later', async () => {
  const userId = await notify(paymentDue, {})
  await fixture.browser.openAs('admin@acme', '/app/home')
  await press('Notifications: 2 unread')
  const panel = await dialog('Notifications')
  await panel.findByText('Payment due: acmehr')
  expect(panel.element.textContent).toContain('New contract · HKD 4,877.50 · pay by 2026-03-09')
  await panel.findByText('Service down: acmehr')
  fixture.browser.goOffline()
  await panel.press('Mark all as read')
  await screen.findByRole('button', { name: 'Notifications', hidden: true })
  expect(document.activeElement?.textContent).toContain('Mark all as read')
  expect(await countUnread(userId)).toBe(2)
  expect(screen.queryByText(/waiting to be sent/)).toBeNull()
  fixture.browser.goOnline()
  await expect.poll(() => countUnread(userId), { timeout: 10_000 }).toBe(0)
})

it('A contract that ends soon is shown with its last day', async () => {
  const order = { payable: 'order', type: 'change', code: 'acmehr' }
  await notify(
    { kind: 'contract-ends', facts: { ...order, end: '2026-03-01' } },
    { kind: 'contract-ends', facts: { payable: 'backup', type: 'pdb2rds', code: 'acmefin', end: '2026-04-11' } },
    { kind: 'contract-ended', facts: { ...order, code: 'acmecrm' } },
  )
  await fixture.browser.openAs('admin@acme', '/app/activity')
  const findRow = async (title: string) => (await screen.findByText(title)).closest('.inbox-row')?.textContent
  expect(await findRow('Ends soon: acmehr')).toContain('Contract · last day 2026-02-28')
  expect(await findRow('Ends soon: acmefin')).toContain('Backup to RDS · last day 2026-04-10')
  expect(await findRow('Ended: acmecrm')).toMatch(/Contract$/)
})

it('A refund that came back and an inquiry have titles of their own', async () => {
  const facts = { code: 'acmehr', company: 'Acme', currency: 'HKD', amount: '30.00' }
  await notify(
    { kind: 'refund-failed', facts: { ...facts, type: 'returned' } },
    { kind: 'refund-failed', facts: { ...facts, code: 'acmefin' } },
    { kind: 'payment-dispute', facts: { ...facts, type: 'inquiry' } },
  )
  await fixture.browser.openAs('admin@acme', '/app/activity')
  for (const title of ['Refund came back: acmehr', 'Refund refused: acmefin', 'Inquiry about a payment: acmehr'])
    expect((await screen.findByText(title)).closest('.inbox-row')?.textContent).toContain('Acme · HKD 30.00')
})

it('A notification opens its page and is read, and the page of notifications has tabs with addresses', async () => {
  const userId = await notify({ kind: 'change-rejected', facts: { call: 'disableUser', problem: 'LAST_ADMIN' } }, {})
  await fixture.browser.openAs('admin@acme', '/app/activity')
  await fixture.user.click(await screen.findByRole('link', { name: /Change rejected/ }))
  await screen.findByRole('heading', { name: 'Waiting changes' })
  await expect.poll(() => countUnread(userId)).toBe(1)
  await fixture.browser.open('/app/activity')
  await screen.findByRole('link', { name: 'Inbox: 1 unread' })
  await fixture.user.click(await screen.findByRole('link', { name: 'Tasks' }))
  await screen.findByText('No background tasks')
  expect(location.search).toBe('?tab=tasks')
})

it('Older pages leave out no row when new ones arrive, and offline they show what was read', async () => {
  const userId = await notify({ kind: 'new-device', facts: {} }, ...Array.from({ length: 50 }, () => ({})))
  await fixture.browser.openAs('admin@acme', '/app/activity')
  await press('Show older')
  await screen.findByRole('link', { name: /Unread: Login from a new device/ })
  const countRows = () => document.querySelectorAll('.inbox-row').length
  expect(countRows()).toBe(51)
  expect(document.activeElement?.textContent).toContain('Login from a new device')
  await notify({ eventKey: 'a newer event' })
  document.dispatchEvent(new Event('visibilitychange'))
  await expect.poll(countRows).toBe(52)
  await fixture.user.click(await screen.findByRole('link', { name: /Unread: Login from a new device/ }))
  await expect.poll(() => countUnread(userId)).toBe(51)
  fixture.browser.goOffline()
  await fixture.browser.open('/app/activity')
  await press('Show older')
  await screen.findByRole('link', { name: /^Login from a new device/ })
})

it('If older rows cannot be loaded, the reason takes the focus of the button that it replaces', async () => {
  await notify(...Array.from({ length: 51 }, () => ({})))
  await fixture.browser.openAs('admin@acme', '/app/activity')
  await screen.findByRole('button', { name: 'Show older' })
  fixture.browser.goOffline()
  await press('Show older')
  await expect.poll(() => document.activeElement?.className).toMatch(/^problem/)
})
