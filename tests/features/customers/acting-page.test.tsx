/** Tests the pages of a member of the provider's staff who acts for a customer: what may be changed there, and no file of its data (decision 116). */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { sql } from 'kysely'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { getNamedField } from '#tests/support/pages/fields.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'

const fixture = setUpPages()
const other = "You act for a customer. This is left to the customer's own users."

/** Lets the session of the page act, as if the user had pressed the button of the customer's page. */
async function act(allowsChanges: boolean) {
  const giver = await fixture.server.signIn('second@alpha')
  const payload = { hours: 2, allows_changes: allowsChanges }
  const { id } = (await giver.send({ method: 'POST', url: '/api/m18s/consent', payload })).json()
  await integrate(fixture.server.app)
  await fixture.browser.openAs('admin@m18', '/app/home')
  const staffId = fixture.server.world.users['admin@m18']
  await bypassPolicies(fixture.server.app.database, (db) =>
    sql`update session set acting_consent_id = ${id} where user_id = ${staffId}`.execute(db),
  )
}
const readWebsite = async () => {
  const { rows } = await bypassPolicies(fixture.server.app.database, (db) =>
    sql<{ website: string }>`select website from company where code = 'alpha'`.execute(db),
  )
  return rows[0]?.website
}
const isLocked = (name: string) => (document.querySelector(`main [name=${name}]`) as HTMLInputElement).readOnly

it('A consent with changes opens the fields that it allows, and a saved one takes effect', async () => {
  await act(true)
  await fixture.browser.open('/app/profile/company')
  await screen.findByText(/^Changes allowed until/)
  expect(['name', 'tax_number', 'email', 'addr1', 'city', 'website'].map(isLocked)).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
  ])
  expect((document.querySelector('main [name=country]') as HTMLSelectElement).disabled).toBe(true)
  expect(screen.getAllByText(other).length).toBeGreaterThanOrEqual(8)
  await fixture.user.type(getNamedField('website'), 'https://alpha.example{Enter}')
  await expect.poll(readWebsite).toBe('https://alpha.example')

  // Without a connection nothing is queued, and what was typed stays. The connection is lost and comes back in the middle of a word.
  const offlineText = /^While you act for a customer, saving needs a connection/
  await fixture.user.type(getNamedField('website'), '/e')
  fixture.browser.goOffline()
  await screen.findAllByText(offlineText)
  await fixture.user.keyboard('n')
  expect([document.activeElement, getNamedField('website').value]).toEqual([
    getNamedField('website'),
    'https://alpha.example/en',
  ])
  fixture.browser.goOnline()
  await vi.waitFor(() => expect(screen.queryAllByText(offlineText)).toEqual([]))
  await fixture.user.keyboard('g')
  expect([document.activeElement, getNamedField('website').value]).toEqual([
    getNamedField('website'),
    'https://alpha.example/eng',
  ])
})

it('Another value after a lost response is not reported as saved before it is', async () => {
  await act(true)
  await fixture.browser.open('/app/profile/company')
  await screen.findByText(/^Changes allowed until/)
  await vi.waitFor(() => getNamedField('website'))
  await fixture.user.type(getNamedField('website'), 'https://first.example')
  fixture.browser.connectionState = 'answers lost'
  await fixture.user.keyboard('{Enter}')
  await expect.poll(readWebsite).toBe('https://first.example')
  await screen.findByText(/^Update failed/)
  fixture.browser.goOnline()
  const save = document.querySelector('main form.page-form button[type=submit]') as HTMLButtonElement
  await fixture.user.clear(getNamedField('website'))
  await fixture.user.type(getNamedField('website'), 'https://second.example')
  await vi.waitFor(() => expect(save.getAttribute('aria-disabled')).toBe(null))
  await fixture.user.click(save)
  // The first write had taken effect, so the form continues from its row, with what was typed.
  await vi.waitFor(() => expect(document.querySelector('.conflict-note')?.textContent).toContain('first.example'))
  expect([await readWebsite(), getNamedField('website').value]).toEqual([
    'https://first.example',
    'https://second.example',
  ])
  await fixture.user.click(save)
  await expect.poll(readWebsite).toBe('https://second.example')
})

it('A consent without changes only reads, and no proof of an entry is saved as a file', async () => {
  await act(false)
  await fixture.browser.open('/app/profile/company')
  await screen.findByText(/^Read-only until/)
  expect((await screen.findAllByText('You act for a customer and can only read.')).length).toBeGreaterThan(0)

  const createUrl = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:proof')
  await fixture.browser.open('/app/systrail')
  await fixture.user.click(
    (await screen.findAllByRole('link', { name: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/ }))[0] as HTMLElement,
  )
  const button = await screen.findByRole('button', { name: 'Export proof' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await fixture.user.click(button)
  expect(createUrl.mock.calls).toHaveLength(0)
  createUrl.mockRestore()
})
