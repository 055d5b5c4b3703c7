/** Tests a change that discards a paid amount: it is confirmed with the amount, and can be undone on the same day (D14). */
import { screen } from '@testing-library/dom'
import { beforeEach, expect, it, vi } from 'vitest'
import { getButton, submit, typeValues } from '#tests/support/pages/fields.ts'
import { buyOrder, type OrderRow, readOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, findText } = createUserActions(fixture)
let adminSession: SignedIn
let order: OrderRow
beforeEach(async () => {
  adminSession = await fixture.server.signIn('admin@acme')
  order = await buyOrder(fixture.server, adminSession, {
    code: 'undoing',
    name: 'Undoing',
    users: 25,
    period_start: today(),
  })
  await fixture.browser.openAs('admin@acme', `/app/contract/${order.id}`)
})

// Paid amount that the change discards: 25 users, core and fin cost 57,000.00 a year, and 10 users 42,000.00.
const discardedSum = 'HKD 15,000.00'
const readUsers = () =>
  [...document.querySelectorAll('dl.facts > div')]
    .find((factRow) => factRow.querySelector('dt')?.textContent === 'Number of users')
    ?.querySelector('dd')?.textContent
const readDueAmount = () => document.querySelector('.price-due .amount')?.textContent
const readContracts = () =>
  [...document.querySelectorAll('.order-history tbody th')].map(({ textContent }) => textContent)
const fetchState = async () => (await readOrder(adminSession, order.id))['state']

async function reduceUsers() {
  await press('Modify')
  await expect.poll(() => document.querySelector('[name=users]')).not.toBeNull()
  await typeValues(fixture.user, { users: '10' })
  await expect.poll(readDueAmount).toBe('HKD 0.00')
}
async function submitReduction() {
  await reduceUsers()
  await submit(fixture.user)
  await (await dialog(`Change without a refund of ${discardedSum}?`)).press('Change without refund')
  await screen.findByText('Changed today from 25 to 10 users. Undo until 23:59.')
}

it('A reduction asks for confirmation with the sum and the new terms, and focuses "Go back" (fault 4a)', async () => {
  // Without a connection the page computes the amount.
  await expect.poll(() => readContracts().length).toBe(1)
  fixture.browser.goOffline()
  await reduceUsers()
  await findText(`${discardedSum} of what you paid is not refunded.`)
  fixture.browser.goOnline()
  await expect
    .poll(() => document.querySelector('form button[type=submit]')?.getAttribute('aria-disabled'))
    .not.toBe('true')
  await submit(fixture.user)
  const discardDialog = await dialog(`Change without a refund of ${discardedSum}?`)
  discardDialog.getByText(`${discardedSum} of what you paid is not refunded.`)
  await discardDialog.findByText(/You can undo it until 23:59 today/)
  expect(discardDialog.element.querySelector('.order-compared')?.textContent).toContain('2510')
  await expect.poll(() => document.activeElement?.textContent).toBe('Go back')
  await fixture.user.keyboard('{Enter}')
  await noDialog()
  expect(await fetchState()).toBe('effective')
  await submit(fixture.user)
  await dialog(`Change without a refund of ${discardedSum}?`)
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  expect(await fetchState()).toBe('effective')
  await submit(fixture.user)
  await (await dialog(`Change without a refund of ${discardedSum}?`)).press('Change without refund')
  await screen.findByText(/^It is now in effect\./)
  await expect.poll(fetchState).toBe('overwritten')
})

it('A change can be undone, also after a reload, and the contract is as before (fault 4b)', async () => {
  await submitReduction()
  await fixture.browser.open(fixture.browser.path())
  await screen.findByText('Changed today from 25 to 10 users. Undo until 23:59.')
  await expect.poll(readUsers).toBe('10')
  fixture.browser.goOffline()
  await expect.poll(() => getButton('Undo').getAttribute('aria-disabled')).toBe('true')
  fixture.browser.goOnline()
  await expect.poll(() => getButton('Undo').getAttribute('aria-disabled')).not.toBe('true')
  await press('Undo')
  await screen.findByText('The change is undone. The contract is as it was before.')
  await expect.poll(readUsers).toBe('25')
  await expect.poll(() => readContracts().length).toBe(3)
  expect(readContracts()[0]).toContain(`Undo: restores ${String(order['contract'])}`)
  // The undo discards nothing, so it cannot be undone itself.
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  expect(await fetchState()).toBe('overwritten')
})

it('The page explains that a change with a later order cannot be undone (fault 4b)', async () => {
  await submitReduction()
  const contractId = Number((await fetchLatestOrder())['contract_id'])
  const payload = { type: 'extend', contract_id: contractId, period: 1 }
  await adminSession.send({ method: 'POST', url: '/api/contract', payload })
  await press('Undo')
  await screen.findByText('Another order followed this change, so it can no longer be undone.')
  await screen.findByText(/^Extension until \d{4}-\d\d-\d\d is unpaid:$/)
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

/**
 * Replaces the response to the first call of the path by a proxy error. The call reaches the server. Returns a function that counts the
 * calls.
 */
function loseFirstResponse(path: RegExp): () => number {
  const originalFetch = fetch
  let callCount = 0
  vi.stubGlobal('fetch', async (request: Request, init?: RequestInit) => {
    const response = await originalFetch(request, init)
    const isCall = request.method === 'POST' && path.test(new URL(request.url).pathname)
    if (isCall) callCount += 1
    return isCall && callCount === 1 ? new Response('<h1>504</h1>', { status: 504 }) : response
  })
  return () => callCount
}

it('A change and its undo are each ordered once if the first response is lost', async () => {
  const countChanges = loseFirstResponse(/\/api\/contract$/)
  await reduceUsers()
  await submit(fixture.user)
  await (await dialog(`Change without a refund of ${discardedSum}?`)).press('Change without refund')
  await findText('Update failed.')
  await submit(fixture.user)
  await screen.findByText('Changed today from 25 to 10 users. Undo until 23:59.')
  await expect.poll(() => readContracts().length).toBe(2)
  const countUndos = loseFirstResponse(/\/api\/contract\/\d+\/undo$/)
  await press('Undo')
  await findText('could not be undone')
  await press('Undo')
  await screen.findByText('The change is undone. The contract is as it was before.')
  await expect.poll(() => readContracts().length).toBe(3)
  // The page requests the result of the lost call, and does not send the call again.
  expect([countChanges(), countUndos()]).toEqual([1, 1])
})

/** Returns the order in effect, by the id in the address. */
const fetchLatestOrder = async () =>
  await readOrder(adminSession, Number(fixture.browser.path().split('/').at(-1)?.split('?')[0]))
