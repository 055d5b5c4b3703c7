/** Tests that every form with drafts offers the draft of an earlier visit, and never fills it in by itself. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { getNamedField, submit, typeValues } from '#tests/support/pages/fields.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press } = createUserActions(fixture)

type StoredDraft = { name: `draft:${string}`; value: unknown; at: number }
/** Opens the database of the signed-in user as the page opened it. Each page load has its own modules. */
async function openDraftTable() {
  const { getThisDevice } = await import('#local/storage/device.ts')
  const [occupant] = await getThisDevice().directory.occupants.toArray()
  if (!occupant) throw new Error('nobody is signed in')
  return getThisDevice().getDatabase(occupant).meta
}
async function readDrafts(): Promise<StoredDraft[]> {
  const table = await openDraftTable()
  return (await table.where('name').startsWith('draft:').toArray()) as StoredDraft[]
}
const waitUntilStored = (text: string) => expect.poll(async () => JSON.stringify(await readDrafts())).toContain(text)
/**
 * Simulates a reload. A real browser removes the page without an event; here the form is left, which deletes its draft, so the draft is
 * stored again.
 */
async function reloadWithDrafts(path: string, overrides: { at?: number } = {}) {
  const storedDrafts = await readDrafts()
  await fixture.browser.open('/app/home')
  const table = await openDraftTable()
  for (const draft of storedDrafts) await table.put({ ...draft, ...overrides })
  await fixture.browser.open(path)
}
/** Opens the path in a new tab. The stored drafts get the given time, as if another tab had stored them then. */
async function openInNewTab(path: string, hostSelector: string) {
  sessionStorage.clear()
  sessionStorage.setItem('portal.visit', crypto.randomUUID())
  await reloadWithDrafts(path, { at: Date.parse(hostSelector) })
}
const findOffer = (question: string | RegExp) => screen.findByRole('region', { name: question })
const expectNoOffer = () => expect.poll(() => document.querySelector('.draft-offer')).toBeNull()
const answerOffer = async (question: string | RegExp, name: string) =>
  fixture.user.click(within(await findOffer(question)).getByRole('button', { name }))
const waitForField = (name: string) => expect.poll(() => document.querySelector(`[name=${name}]`)).not.toBeNull()
const yesterdayQuestion = 'Continue your draft of 2026-11-27?'
const yesterdayTime = '2026-11-27T12:00:00+08:00'

it('A reload restores the draft of a change, and a new tab offers it without losing input (fault 4c)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const order = await buyOrder(fixture.server, adminSession, { code: 'drafted', users: 25, period_start: today() })
  const page = `/app/contract/${order.id}?edit=1`
  await fixture.browser.openAs('admin@acme', page)
  await waitForField('users')
  await typeValues(fixture.user, { users: '10' })
  await waitUntilStored('"users":"10"')
  await reloadWithDrafts(page)
  await waitForField('users')
  expect(getNamedField('users').value).toBe('10')
  await expectNoOffer()

  await openInNewTab(page, yesterdayTime)
  await findOffer(yesterdayQuestion)
  expect(getNamedField('users').value).toBe('25')
  await typeValues(fixture.user, { users: '31' })
  await findOffer(yesterdayQuestion)
  await answerOffer(yesterdayQuestion, 'Continue')
  await expect.poll(() => getNamedField('users').value).toBe('10')
  // The input that was typed meanwhile is offered instead.
  const now = new RegExp(`^Continue your draft of ${today()} \\d\\d:\\d\\d:\\d\\d\\?$`)
  await answerOffer(now, 'Continue')
  await expect.poll(() => getNamedField('users').value).toBe('31')
  await answerOffer(now, 'Discard')
  await expectNoOffer()
  expect(getNamedField('users').value).toBe('31')
})

it('The draft of a change shows that its contract has changed since (fault 4c)', async () => {
  const adminSession = await fixture.server.signIn('admin@acme')
  const order = await buyOrder(fixture.server, adminSession, { code: 'drafted', users: 25, period_start: today() })
  await fixture.browser.openAs('admin@acme', `/app/contract/${order.id}?edit=1`)
  await waitForField('users')
  await typeValues(fixture.user, { users: '40' })
  await waitUntilStored('"users":"40"')
  const payload = { type: 'change', contract_id: order.contract_id, users: 10, confirm_discard: '15000.00' }
  const response = (await adminSession.send({ method: 'POST', url: '/api/contract', payload })).json()
  await openInNewTab(`/app/contract/${response.id}?edit=1`, yesterdayTime)
  expect((await findOffer(yesterdayQuestion)).textContent).toContain('The contract has changed since then.')
  expect(getNamedField('users').value).toBe('10')
  await answerOffer(yesterdayQuestion, 'Continue')
  await expect.poll(() => getNamedField('users').value).toBe('40')
})

it('The wizard starts empty, offers an earlier draft and continues at its step (fault 4c)', async () => {
  await fixture.browser.openAs('admin@acme', '/app/contract/new')
  await waitForField('code')
  await typeValues(fixture.user, { code: 'earlier', name: 'Earlier' })
  await waitUntilStored('"code":"earlier"')
  await submit(fixture.user)
  await waitForField('module-core')
  await waitUntilStored('"step":1')
  await openInNewTab('/app/contract/new', yesterdayTime)
  await findOffer(yesterdayQuestion)
  expect(getNamedField('code').value).toBe('')
  await answerOffer(yesterdayQuestion, 'Continue')
  await waitForField('module-core')
  await expectNoOffer()
  await press('Back')
  await expect.poll(() => getNamedField('code').value).toBe('earlier')
})

it('A price list form shows its normal values and offers an earlier draft (fault 4c)', async () => {
  await fixture.browser.openAs('delete@m18', '/app/m18/price/new')
  await waitForField('desc')
  await typeValues(fixture.user, { desc: 'Begun earlier' })
  await waitUntilStored('Begun earlier')
  await openInNewTab('/app/m18/price/new', yesterdayTime)
  await findOffer(yesterdayQuestion)
  expect(getNamedField('desc').value).toBe('')
  await answerOffer(yesterdayQuestion, 'Continue')
  await expect.poll(() => getNamedField('desc').value).toBe('Begun earlier')
})
