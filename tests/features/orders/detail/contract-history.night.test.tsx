/** Tests the history of a contract that replaced many others (M99). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import type { OrderRow } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press } = createUserActions(fixture)

const readCodes = () => [...document.querySelectorAll('.order-history tbody th code')].map((code) => code.textContent)

/** Reduces the users of a contract, which takes effect at once, and returns the new order. */
async function reduce(buyer: SignedIn, contractId: number, users: number): Promise<OrderRow> {
  const post = async (url: string, payload: object) => {
    const response = await buyer.send({ method: 'POST', url, payload })
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return response.json()
  }
  const change = { type: 'change', contract_id: contractId, users }
  const { discarded_amount } = await post('/api/calculate', change)
  return await post('/api/contract', { ...change, confirm_discard: discarded_amount })
}

it('A long history has its latest contracts, and opens', async () => {
  const buyer = await fixture.server.signIn('admin@acme')
  const { company_id: companyId } = (await buyer.send({ url: '/api/m18s/user' })).json()
  let order: OrderRow = (await buyer.send({ url: `/api/company/${companyId}/sorder?searchText=acmetrade` })).json()
    .data[0]
  const users = Number(order.users)
  for (let step = 1; step <= 5; step++) order = await reduce(buyer, order.contract_id, users - step)

  await fixture.browser.openAs('admin@acme', `/app/contract/${order.id}`)
  await expect.poll(() => readCodes().length).toBe(3)
  const latest = readCodes()
  await press(/^Show all \d+ contracts$/)
  await expect.poll(() => readCodes().length).toBeGreaterThan(5)
  expect(readCodes().slice(0, 3)).toEqual(latest)
  expect(screen.queryByRole('button', { name: /^Show all/ })).toBeNull()
})
