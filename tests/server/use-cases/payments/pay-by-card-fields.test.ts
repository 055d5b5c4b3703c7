/**
 * A card that is typed into the panel: its token is made anew for each press of another tab or another page, and money is taken once
 * all the same (R-27, M81).
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { trafficOf } from '#tests/support/hosting/backups.ts'
import { createToken } from '#tests/support/orders/card-fields.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import { openTill, payFor, type Till } from '#tests/support/orders/sandbox-server.ts'
import { bought, order, type Ordered, readOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

onConnections('paying by card fields', (engine) => {
  const the = setUpShop(engine)
  let till: Till
  let buyer: SignedIn
  let made: Ordered
  let before = 0
  beforeAll(async () => {
    till = await openTill(the.server)
  }, 60_000)
  afterAll(() => till.close())
  beforeEach(async () => {
    till.sandbox.calls.release()
    Object.assign(till.sandbox.moods, { loseAnswers: 0, fail: 0 })
    buyer = await the.server.signIn('order@alpha')
    made = (await order(buyer)).json()
    before = taken()
  })

  const taken = () => till.sandbox.balances().stripe.hkd ?? 0
  const due = 4_200_000
  const payBy = async (number?: string) => payFor(buyer, made.id, { token: await createToken(till.sandbox, number) })
  /** Of the charge, which the library sends three times; and nothing else tells of it. */
  function loseResponse() {
    till.sandbox.calls.hold()
    till.sandbox.moods.loseAnswers = 3
  }
  const payments = () =>
    inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
      db.selectFrom('payment').select(['outcome', 'amount']).execute(),
    )
  async function paidOnce() {
    await till.lookAfter()
    expect(await readOrder(buyer, made.id)).toMatchObject({ status: 1 })
    expect(await payments()).toEqual([{ outcome: 'applied', amount: '42000.00' }])
    expect(taken() - before).toBe(due)
  }

  test('fault 36M81c five tabs, each with a card of its own, pay once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => payBy()))
    for (const { statusCode } of answers) expect([200, 409, 503]).toContain(statusCode)
    await paidOnce()
  })

  test('fault 36M81c a lost answer, and the same page goes on with the card that it holds', async () => {
    const token = await createToken(till.sandbox)
    loseResponse()
    const first = await payFor(buyer, made.id, { token })
    expect(first.json()).toEqual({ status: 'processing' })
    expect((await payFor(buyer, made.id, { token })).json()).toEqual({ status: 'paid' })
    await paidOnce()
  })

  test('fault 36M81c a lost answer, and the reloaded page types the card again', async () => {
    loseResponse()
    expect((await payBy()).json()).toEqual({ status: 'processing' })
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    await paidOnce()
  })

  test('fault 36M81c a declined card, and then another', async () => {
    for (const [number, reason] of [
      ['4000000000000002', 'generic_decline'],
      ['4000000000000127', 'incorrect_cvc'],
    ]) {
      const answer = await payBy(number)
      expect([answer.statusCode, answer.json()]).toMatchObject([
        409,
        { errorCode: 'CARD_INVALID', errorMessage: 'Your card information is invalid', data: { reason } },
      ])
    }
    expect(taken()).toBe(before)
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    await paidOnce()
  })

  test('fault 36M81c a card whose bank asks, left there for another card, is charged no more', async () => {
    const asked = (await payBy('4000002500003155')).json() as { redirect: string }
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    expect((await visit(asked.redirect, { answer: 'yes' })).status).toBe(404)
    await paidOnce()
  })

  test('fault 36M81c a page of the gateway that is still open is closed by a card', async () => {
    const page = (await payFor(buyer, made.id)).json() as { redirect: string }
    expect((await payBy()).json()).toEqual({ status: 'paid' })
    expect((await visit(page.redirect, { card: '4242424242424242' })).status).toBe(404)
    await paidOnce()
  })

  test('fault 36M81c traffic is paid alike, and no log line names a card or a token', async () => {
    await bought(the.server, buyer, { code: 'shop2' })
    const id = await trafficOf(the.server, 'shop2', { isPaid: false })
    const token = await createToken(till.sandbox)
    expect((await payFor(buyer, id, { token, contractType: 'TRAFFIC' })).json()).toEqual({ status: 'paid' })
    expect(taken() - before).toBe(16_250)
    expect(the.server.logged()).not.toMatch(/4242|tok_/)
  })
})
