/** Tests pages while the server cannot read price lists or orders. */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
type GrantAction = 'revoke select on price_list from' | 'grant select on price_list to'
const changeGrant = (
  action: GrantAction | 'revoke select on service_order from' | 'grant select on service_order to',
) =>
  bypassPolicies(fixture.server.app.database, async (db) => {
    await sql`${sql.raw(action)} portal_app, portal_system`.execute(db)
  })

it('The home page makes no statement about price lists while they cannot be read (fault 31a)', async () => {
  await changeGrant('revoke select on price_list from')
  try {
    await fixture.browser.openAs('delete@m18', '/app/home')
    await screen.findByText('The price lists could not be loaded.')
    expect(document.body.textContent).not.toContain('No confirmed price list is in force.')
  } finally {
    await changeGrant('grant select on price_list to')
  }
})

const countAlerts = () => [...document.querySelectorAll('.problem')].length
const expectOneAlert = async () => {
  await screen.findByRole('button', { name: 'Try again' })
  expect(countAlerts()).toBe(1)
}

it('The list and the editor show one error after a 500, and no message about missing lists (fault 37t)', async () => {
  await changeGrant('revoke select on price_list from')
  try {
    await fixture.browser.openAs('delete@m18', '/app/m18/price')
    await expectOneAlert()
    expect(document.body.textContent).not.toContain('No price lists')
    expect(document.body.textContent).not.toContain('Nothing found')
    await fixture.browser.open('/app/m18/price/1')
    await expectOneAlert()
    await screen.findByText('The price list could not be loaded.')
    await changeGrant('grant select on price_list to')
    await fixture.user.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByRole('table', { name: 'Modules' })
  } finally {
    await changeGrant('grant select on price_list to')
  }
})

it('The home page and a contract show once after a 500 that their data is old (fault 37t)', async () => {
  await fixture.browser.openAs('admin@acme', '/app/contract')
  await fixture.user.click(await screen.findByRole('link', { name: 'acmetrade' }))
  await screen.findByRole('heading', { name: 'Contract history' })
  const { pathname } = location
  await fixture.browser.open('/app/home')
  await screen.findByText('To pay')
  await changeGrant('revoke select on service_order from')
  try {
    await fixture.browser.open('/app/home')
    await expectOneAlert()
    await screen.findByText('To pay')
    await fixture.browser.open(pathname.replace('/saas', ''))
    await expectOneAlert()
    await screen.findByRole('heading', { name: 'Contract history' })
  } finally {
    await changeGrant('grant select on service_order to')
  }
  await fixture.user.click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(countAlerts).toBe(0)
})
