/** Tests the choice of channels as its user sees it. */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { writeAsSystem } from '#server/db/transaction.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()

it('A channel is switched off at once, mails that are always sent cannot be, and offline nothing can be changed', async () => {
  await fixture.browser.openAs('admin@acme', '/app/profile/notifications')
  await fixture.user.click(await screen.findByRole('checkbox', { name: 'Payments: Mail' }))
  const readChoices = () =>
    writeAsSystem(fixture.server.app, (db) => db.selectFrom('notification_choice').select('choices').execute())
  await expect.poll(readChoices).toEqual([{ choices: { payment: { mail: false } } }])
  expect(screen.queryByRole('checkbox', { name: 'New devices: Mail' })).toBeNull()
  expect(screen.queryByRole('checkbox', { name: /Payments without an order/ })).toBeNull()
  fixture.browser.goOffline()
  await expect.poll(() => screen.getByRole('checkbox', { name: 'Payments: Portal' })).toHaveProperty('disabled', true)
})
