/** Paying by card on a contract's page (M81): Stripe's fields in the page, the rest with the server. */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import type { PaymentDriver } from '#server/drivers/payment/driver.ts'
import { simulatedPayment } from '#server/drivers/payment/simulated.ts'
import { readOrder } from '#tests/support/shop-data.ts'
import { handsOn, ordersOf, setUpShopPages } from '#tests/support/shop-pages.ts'

const the = setUpShopPages()
const { press, says } = handsOn(the)

/** Stripe's script, which stands on Stripe's machine alone: its fields refuse until `problem` is null, and give `token`. */
function standInForStripe(): { problem: string | null; token: string } {
  const card = { problem: null as string | null, token: 'ctoken_good' }
  const elements = {
    create: () => ({ mount: (place: HTMLElement) => place.append('Card fields'), destroy: () => undefined }),
    submit: async () => (card.problem === null ? {} : { error: { message: card.problem } }),
  }
  const stripe = {
    elements: () => elements,
    createConfirmationToken: async () => ({ confirmationToken: { id: card.token } }),
  }
  vi.stubGlobal('Stripe', () => stripe)
  const append = document.head.append.bind(document.head)
  vi.spyOn(document.head, 'append').mockImplementation((...nodes) => {
    for (const node of nodes)
      if (node instanceof HTMLScriptElement) queueMicrotask(() => node.dispatchEvent(new Event('load')))
      else append(node)
  })
  return card
}

it('a card that Stripe or its bank refuses is said to be invalid, with why, and pays once it is right (M81)', async () => {
  const card = standInForStripe()
  const tokens: (string | null)[] = []
  const begin: PaymentDriver['begin'] = async (asked) => {
    tokens.push(asked.token)
    if (asked.token === 'ctoken_bad') return { kind: 'declined', code: 'CARD_INVALID', reason: 'expired_card' }
    return simulatedPayment.begin(asked)
  }
  the.server.app.payments = {
    ...the.server.app.payments,
    stripeKey: 'pk_test',
    types: ['stripe'],
    driver: async () => ({ ...simulatedPayment, begin }),
  }
  const admin = await the.server.signIn('admin@acme')
  const id = (await ordersOf(admin, 'acmehr'))[0]?.id ?? 0
  await the.browser.openAs('admin@acme', `/app/contract/${id}`)
  await press(/^Pay USD/)
  await screen.findByText('Card fields')
  card.problem = 'Your card number is incomplete.'
  await press(/by card$/)
  await says('Your card information is invalid')
  await says('Your card number is incomplete.')
  expect(tokens).toEqual([])
  card.problem = null
  card.token = 'ctoken_bad'
  await press(/by card$/)
  await says('This card has expired. Use another one.')
  await says('Your card information is invalid')
  expect(screen.queryByText('Your card number is incomplete.')).toBeNull()
  card.token = 'ctoken_good'
  await press(/by card$/)
  await screen.findByText('Payment received')
  expect(await readOrder(admin, id)).toMatchObject({ state: 'effective' })
  expect(tokens).toEqual(['ctoken_bad', 'ctoken_good'])
})
