/** What pages say of price lists that the server could not read. */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { pastPolicies } from '#tests/support/server/database.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
type Act = 'revoke select on price_list from' | 'grant select on price_list to'
const grant = (act: Act | 'revoke select on service_order from' | 'grant select on service_order to') =>
  pastPolicies(the.server.app.database, async (db) => {
    await sql`${sql.raw(act)} portal_app, portal_system`.execute(db)
  })

it('fault 31a nothing is said of what is in force while the server cannot tell', async () => {
  await grant('revoke select on price_list from')
  try {
    await the.browser.openAs('delete@m18', '/app/home')
    await screen.findByText("The price lists can't be read just now.")
    expect(document.body.textContent).not.toContain('No confirmed price list is in force.')
  } finally {
    await grant('grant select on price_list to')
  }
})

const alerts = () => [...document.querySelectorAll('.problem')].length
const failsOnce = async () => {
  await screen.findByRole('button', { name: 'Try again' })
  expect(alerts()).toBe(1)
}

it('fault 37t list and list page show one error each after a 500, and nothing of absence', async () => {
  await grant('revoke select on price_list from')
  try {
    await the.browser.openAs('delete@m18', '/app/m18/price')
    await failsOnce()
    expect(document.body.textContent).not.toContain('No price lists')
    expect(document.body.textContent).not.toContain('Nothing found')
    await the.browser.open('/app/m18/price/1')
    await failsOnce()
    await screen.findByText('The price list could not be loaded.')
    await grant('grant select on price_list to')
    await the.user.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findByRole('table', { name: 'Modules' })
  } finally {
    await grant('grant select on price_list to')
  }
})

it('fault 37t home and a contract say once after a 500 that what they show is not new', async () => {
  await the.browser.openAs('admin@acme', '/app/contract')
  await the.user.click(await screen.findByRole('link', { name: 'acmetrade' }))
  await screen.findByRole('heading', { name: 'Contract history' })
  const { pathname } = location
  await the.browser.open('/app/home')
  await screen.findByText('To pay')
  await grant('revoke select on service_order from')
  try {
    await the.browser.open('/app/home')
    await failsOnce()
    await screen.findByText('To pay')
    await the.browser.open(pathname.replace('/saas', ''))
    await failsOnce()
    await screen.findByRole('heading', { name: 'Contract history' })
  } finally {
    await grant('grant select on service_order to')
  }
  await the.user.click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(alerts).toBe(0)
})
