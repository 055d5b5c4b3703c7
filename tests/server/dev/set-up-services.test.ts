/** A service of the demo world runs some minutes after it was paid for (contracts 4, D40). */
import { beforeEach, expect, test } from 'vitest'
import { setUpServices } from '#server/dev/set-up-services.ts'
import { bought, order, readOrder, setUpShop } from '#tests/support/shop-data.ts'
import type { SignedIn } from '#tests/support/server.ts'

const the = setUpShop('embedded')
let buyer: SignedIn
beforeEach(async () => {
  buyer = await the.server.signIn('order@alpha')
})

async function after(minutes: number) {
  the.server.clock.now += minutes * 60_000
  await setUpServices(the.server.app)
  // Sessions are short beside days of waiting.
  buyer = await the.server.signIn('order@alpha')
}
const list = (query = '') => buyer.send({ url: `/api/company/${the.server.world.companies.alpha}/sorder${query}` })

test('three minutes after it was paid, and its row reaches whoever has it', async () => {
  const { id } = await bought(the.server, buyer)
  const since = String((await list()).headers['x-change'])
  await after(2)
  expect(await readOrder(buyer, id)).toMatchObject({ online: 0, system_status: 0, url: null })
  await after(1)
  expect(await readOrder(buyer, id)).toMatchObject({
    online: 1,
    system_status: 2,
    url: expect.stringMatching(/^https:/),
  })
  expect((await list(`?since=${since}`)).json().changed).toMatchObject([{ id, online: 1 }])
  const { row_version } = await readOrder(buyer, id)
  await after(10)
  expect((await readOrder(buyer, id)).row_version).toBe(row_version)
})

test('not what is unpaid, nor what begins on a later day before that day', async () => {
  const unpaid = (await order(buyer, { code: 'unpaid1' })).json()
  const later = await bought(the.server, buyer, { code: 'later1', period_start: '2026-03-04' })
  await after(60)
  for (const { id } of [unpaid, later]) expect(await readOrder(buyer, id)).toMatchObject({ online: 0, url: null })
  await after(2 * 24 * 60)
  expect(await readOrder(buyer, later.id)).toMatchObject({ online: 1 })
})
