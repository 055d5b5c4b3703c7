/** A draft of an earlier visit is offered in every form that keeps one, and fills in nothing by itself. */
import { screen, within } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { named, submit, type } from '#tests/support/pages/fields.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const the = setUpShopPages()
const { press } = handsOn(the)

type Draft = { name: `draft:${string}`; value: unknown; at: number }
/** The database of who is signed in, as the page has opened it: each page load has modules of its own. */
async function tableOfDrafts() {
  const { thisDevice } = await import('#local/storage/device.ts')
  const [occupant] = await thisDevice().directory.occupants.toArray()
  if (!occupant) throw new Error('nobody is signed in')
  return thisDevice().of(occupant).meta
}
async function drafts(): Promise<Draft[]> {
  const table = await tableOfDrafts()
  return (await table.where('name').startsWith('draft:').toArray()) as Draft[]
}
const isKept = (text: string) => expect.poll(async () => JSON.stringify(await drafts())).toContain(text)
/** A browser takes a page away without a word; here its form is left, which forgets its draft, so that it is put back. */
async function load(path: string, over: { at?: number } = {}) {
  const kept = await drafts()
  await the.browser.open('/app/home')
  const table = await tableOfDrafts()
  for (const draft of kept) await table.put({ ...draft, ...over })
  await the.browser.open(path)
}
/** What was kept so far was kept at that moment, in another tab. */
async function openInNewTab(path: string, at: string) {
  sessionStorage.clear()
  sessionStorage.setItem('portal.visit', crypto.randomUUID())
  await load(path, { at: Date.parse(at) })
}
const offer = (question: string | RegExp) => screen.findByRole('region', { name: question })
const noOffer = () => expect.poll(() => document.querySelector('.draft-offer')).toBeNull()
const answer = async (question: string | RegExp, name: string) =>
  the.user.click(within(await offer(question)).getByRole('button', { name }))
const hasField = (name: string) => expect.poll(() => document.querySelector(`[name=${name}]`)).not.toBeNull()
const yesterday = 'Continue your draft of 2026-11-27?'
const then = '2026-11-27T12:00:00+08:00'

it('fault 4c modify: a reload restores what was typed, a new tab asks, and no answer loses anything', async () => {
  const admin = await the.server.signIn('admin@acme')
  const order = await bought(the.server, admin, { code: 'drafted', users: 25, period_start: today() })
  const page = `/app/contract/${order.id}?edit=1`
  await the.browser.openAs('admin@acme', page)
  await hasField('users')
  await type(the.user, { users: '10' })
  await isKept('"users":"10"')
  await load(page)
  await hasField('users')
  expect(named('users').value).toBe('10')
  await noOffer()

  await openInNewTab(page, then)
  await offer(yesterday)
  expect(named('users').value).toBe('25')
  await type(the.user, { users: '31' })
  await offer(yesterday)
  await answer(yesterday, 'Continue')
  await expect.poll(() => named('users').value).toBe('10')
  // What was typed meanwhile is offered in its place.
  const now = new RegExp(`^Continue your draft of ${today()} \\d\\d:\\d\\d:\\d\\d\\?$`)
  await answer(now, 'Continue')
  await expect.poll(() => named('users').value).toBe('31')
  await answer(now, 'Discard')
  await noOffer()
  expect(named('users').value).toBe('31')
})

it('fault 4c modify: a draft of a contract that was changed since says so', async () => {
  const admin = await the.server.signIn('admin@acme')
  const order = await bought(the.server, admin, { code: 'drafted', users: 25, period_start: today() })
  await the.browser.openAs('admin@acme', `/app/contract/${order.id}?edit=1`)
  await hasField('users')
  await type(the.user, { users: '40' })
  await isKept('"users":"40"')
  const payload = { type: 'change', contract_id: order.contract_id, users: 10, confirm_discard: '15000.00' }
  const changed = (await admin.send({ method: 'POST', url: '/api/contract', payload })).json()
  await openInNewTab(`/app/contract/${changed.id}?edit=1`, then)
  expect((await offer(yesterday)).textContent).toContain('The contract was changed since.')
  expect(named('users').value).toBe('10')
  await answer(yesterday, 'Continue')
  await expect.poll(() => named('users').value).toBe('40')
})

it('fault 4c the wizard begins empty beside the draft of an earlier visit, and continues where it was left', async () => {
  await the.browser.openAs('admin@acme', '/app/contract/new')
  await hasField('code')
  await type(the.user, { code: 'earlier', name: 'Earlier' })
  await isKept('"code":"earlier"')
  await submit(the.user)
  await hasField('module-core')
  await isKept('"step":1')
  await openInNewTab('/app/contract/new', then)
  await offer(yesterday)
  expect(named('code').value).toBe('')
  await answer(yesterday, 'Continue')
  await hasField('module-core')
  await noOffer()
  await press('Back')
  await expect.poll(() => named('code').value).toBe('earlier')
})

it('fault 4c a price list shows its own values beside the draft of an earlier visit', async () => {
  await the.browser.openAs('delete@m18', '/app/m18/price/new')
  await hasField('desc')
  await type(the.user, { desc: 'Begun earlier' })
  await isKept('Begun earlier')
  await openInNewTab('/app/m18/price/new', then)
  await offer(yesterday)
  expect(named('desc').value).toBe('')
  await answer(yesterday, 'Continue')
  await expect.poll(() => named('desc').value).toBe('Begun earlier')
})
