/** Tests that no control is disabled without a reason while a member of the staff acts for a customer (decisions 111 and 116). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { sql } from 'kysely'
import { readDescription } from '#tests/support/pages/fields.ts'
import { setUpShopPages } from '#tests/support/pages/shop-pages.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'

const fixture = setUpShopPages()

/** Lets the session of the page act for Acme, as if the user had pressed the button of the customer's page. */
async function act() {
  const giver = await fixture.server.signIn('admin@acme')
  const payload = { hours: 2, allows_changes: true }
  const { id } = (await giver.send({ method: 'POST', url: '/api/m18s/consent', payload })).json()
  await fixture.browser.openAs('admin@m18', '/app/home')
  const staffId = fixture.server.world.users['admin@m18']
  await bypassPolicies(fixture.server.app.database, (db) =>
    sql`update session set acting_consent_id = ${id} where user_id = ${staffId}`.execute(db),
  )
  return giver
}

const listDisabled = () =>
  [...document.querySelectorAll<HTMLElement>('main [aria-disabled=true], [role=menu] [aria-disabled=true]')].map(
    (control) => [control.textContent?.trim() ?? '', readDescription(control)] as const,
  )

it('Each disabled control has a reason, and what costs money says that it is left to the customer', async () => {
  const giver = await act()
  const { company_id: companyId } = (await giver.send({ url: '/api/m18s/user' })).json()
  const { data: orders } = (await giver.send({ url: `/api/company/${companyId}/sorder?searchText=acmetest` })).json()
  const paths = ['/app/home', '/app/contract', `/app/contract/${orders[0].id}`]
  const reasons = new Map<string, string>()
  for (const path of paths) {
    await fixture.browser.open(path)
    await screen.findByText(/^Changes allowed until/)
    await expect.poll(() => listDisabled().length).toBeGreaterThan(0)
    expect([path, listDisabled().filter(([, reason]) => reason === '')]).toEqual([path, []])
    for (const [name, reason] of listDisabled()) reasons.set(name.split(' ')[0] ?? '', reason)
  }
  const left = "You act for a customer. This is left to the customer's own users."
  for (const name of ['Pay', 'Extend', 'Modify', 'New']) expect([name, reasons.get(name)]).toEqual([name, left])

  await fixture.browser.open('/app/contract')
  await expect.poll(() => document.querySelector('tbody [aria-haspopup=menu]')).not.toBeNull()
  await fixture.user.click(document.querySelector('tbody [aria-haspopup=menu]') as HTMLElement)
  await screen.findAllByRole('menuitem')
  const items = listDisabled().filter(([name]) => name.startsWith('Delete'))
  expect(items.map(([, reason]) => reason)).toEqual([left])
})
