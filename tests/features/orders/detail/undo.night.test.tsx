/** A change that discards money on the contract's page: asked about with its sum, and undone on its day (D14). */
import { screen } from '@testing-library/dom'
import { beforeEach, expect, it } from 'vitest'
import { button, submit, type } from '#tests/support/pages/fields.ts'
import { bought, type Ordered, readOrder } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, says } = handsOn(the)
let admin: SignedIn
let order: Ordered
beforeEach(async () => {
  admin = await the.server.signIn('admin@acme')
  order = await bought(the.server, admin, { code: 'undoing', name: 'Undoing', users: 25, period_start: today() })
  await the.browser.openAs('admin@acme', `/app/contract/${order.id}`)
})

// 25 users, core and fin cost 57,000.00 a year, and 10 users 42,000.00.
const sum = 'HKD 15,000.00'
const users = () =>
  [...document.querySelectorAll('dl.facts > div')]
    .find((one) => one.querySelector('dt')?.textContent === 'Number of users')
    ?.querySelector('dd')?.textContent
const due = () => document.querySelector('.price-due .amount')?.textContent
const contracts = () => [...document.querySelectorAll('.order-history tbody th')].map(({ textContent }) => textContent)
const state = async () => (await readOrder(admin, order.id))['state']

async function reduce() {
  await press('Modify')
  await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
  await type(the.user, { users: '10' })
  await expect.poll(due).toBe('HKD 0.00')
}
async function reduced() {
  await reduce()
  await submit(the.user)
  await (await dialog(`Discard ${sum}?`)).press('Change and discard')
  await screen.findByText('Changed today from 25 to 10 users. Undo until 23:59.')
}

it('fault 4a one press discards nothing: a dialog says the sum and the new terms, and its safe way out has the focus', async () => {
  // Without a connection the sum is worked out here.
  await expect.poll(() => contracts().length).toBe(1)
  the.browser.goOffline()
  await reduce()
  await says(`${sum} of what you paid is not refunded.`)
  the.browser.goOnline()
  await expect
    .poll(() => document.querySelector('form button[type=submit]')?.getAttribute('aria-disabled'))
    .not.toBe('true')
  await submit(the.user)
  const asked = await dialog(`Discard ${sum}?`)
  asked.getByText(`${sum} of what you paid is not refunded.`)
  await asked.findByText(/You can undo it until 23:59 today/)
  expect(asked.element.querySelector('.order-compared')?.textContent).toContain('2510')
  await expect.poll(() => document.activeElement?.textContent).toBe('Go back')
  await the.user.keyboard('{Enter}')
  await noDialog()
  expect(await state()).toBe('effective')
  await submit(the.user)
  await dialog(`Discard ${sum}?`)
  await the.user.keyboard('{Escape}')
  await noDialog()
  expect(await state()).toBe('effective')
  await submit(the.user)
  await (await dialog(`Discard ${sum}?`)).press('Change and discard')
  await screen.findByText(/^It is now in effect\./)
  await expect.poll(state).toBe('overwritten')
})

it('fault 4b the page offers to undo the change, after a reload as well, and the contract is as it was', async () => {
  await reduced()
  await the.browser.open(the.browser.path())
  await screen.findByText('Changed today from 25 to 10 users. Undo until 23:59.')
  await expect.poll(users).toBe('10')
  the.browser.goOffline()
  await expect.poll(() => button('Undo').getAttribute('aria-disabled')).toBe('true')
  the.browser.goOnline()
  await expect.poll(() => button('Undo').getAttribute('aria-disabled')).not.toBe('true')
  await press('Undo')
  await screen.findByText('The change is undone. The contract is as it was before.')
  await expect.poll(users).toBe('25')
  await expect.poll(() => contracts().length).toBe(3)
  expect(contracts()[0]).toContain(`Undo: restores ${String(order['contract'])}`)
  // It discards nothing, so there is nothing to undo.
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  expect(await state()).toBe('overwritten')
})

it('fault 4b says why it is too late once somebody ordered after the change', async () => {
  await reduced()
  const contract = Number((await latest())['contract_id'])
  const payload = { type: 'extend', contract_id: contract, period: 1 }
  await admin.send({ method: 'POST', url: '/api/contract', payload })
  await press('Undo')
  await screen.findByText('Another order followed this change, so it can no longer be undone.')
  await screen.findByText(/^Extension until \d{4}-\d\d-\d\d is unpaid:$/)
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

/** The order in force, by the number in the address. */
const latest = async () => await readOrder(admin, Number(the.browser.path().split('/').at(-1)?.split('?')[0]))
