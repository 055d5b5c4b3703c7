/** Tests card payment on the contract page (M81): Stripe's card fields in the page, everything else on the server. */
import { screen } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import type { PaymentStartResult, PaymentDriver } from '#server/drivers/payment/payment-driver.ts'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import { readOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, listOrders, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, findText } = createUserActions(fixture)

/** Replaces Stripe's script, which can only be loaded from Stripe. Each token that the replacement creates has its own number. */
function stubStripe() {
  const card = {
    refusal: null as { type?: string; message: string } | null,
    token: 'ctoken_good',
    tokenCount: 0,
    mountCount: 0,
    change: () => {},
  }
  const elements = {
    create: () => ({
      mount(container: HTMLElement) {
        card.mountCount += 1
        container.append('Card fields')
      },
      on(_event: 'change', listener: () => void) {
        card.change = listener
      },
      destroy: () => undefined,
    }),
    update: () => undefined,
    submit: async () => (card.refusal === null ? {} : { error: card.refusal }),
  }
  const stripe = {
    elements: () => elements,
    createConfirmationToken: async () => ({ confirmationToken: { id: `${card.token}_${++card.tokenCount}` } }),
  }
  vi.stubGlobal('Stripe', () => stripe)
  const appendToHead = document.head.append.bind(document.head)
  vi.spyOn(document.head, 'append').mockImplementation((...nodes) => {
    for (const node of nodes)
      if (node instanceof HTMLScriptElement) queueMicrotask(() => node.dispatchEvent(new Event('load')))
      else appendToHead(node)
  })
  return card
}

/**
 * Opens the payment panel. `getOutcome` gives the server's result of a charge. The returned list has the tokens that the server received.
 */
async function openPanel(getOutcome: (token: string | null) => PaymentStartResult | Error | null = () => null) {
  const tokens: (string | null)[] = []
  const start: PaymentDriver['start'] = async (input) => {
    tokens.push(input.token)
    const result = getOutcome(input.token)
    if (result instanceof Error) throw result
    return result ?? simulatedPaymentDriver.start(input)
  }
  fixture.server.app.payments = {
    ...fixture.server.app.payments,
    stripeKey: 'pk_test',
    types: ['stripe'],
    findDriver: async () => ({ ...simulatedPaymentDriver, start, query: async () => null }),
  }
  const adminSession = await fixture.server.signIn('admin@acme')
  const id = (await listOrders(adminSession, 'acmehr'))[0]?.id ?? 0
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}`)
  await press(/^Pay USD/)
  await screen.findByText('Card fields')
  return { tokens, isPaid: async () => (await readOrder(adminSession, id)).state === 'effective' }
}

it('A refused card is shown as invalid with the reason, and pays after the user corrects it (M81)', async () => {
  const fakeCard = stubStripe()
  const { tokens, isPaid } = await openPanel((token) =>
    token?.startsWith('ctoken_bad') ? { kind: 'declined', code: 'CARD_INVALID', reason: 'expired_card' } : null,
  )
  fakeCard.refusal = { type: 'validation_error', message: 'Your card number is incomplete.' }
  await press(/by card$/)
  await findText('Your card information is invalid')
  await findText('Your card number is incomplete.')
  expect(tokens).toEqual([])
  fakeCard.refusal = null
  fakeCard.token = 'ctoken_bad'
  await press(/by card$/)
  await findText('This card has expired. Use another one.')
  await findText('Your card information is invalid')
  expect(screen.queryByText('Your card number is incomplete.')).toBeNull()
  fakeCard.token = 'ctoken_good'
  await press(/by card$/)
  await screen.findByText('Payment received')
  expect(await isPaid()).toBe(true)
  expect(tokens).toEqual(['ctoken_bad_1', 'ctoken_good_2'])
})

it('A lost request is sent again with the same token, and another card gets a new token (fault 36M81d)', async () => {
  const fakeCard = stubStripe()
  const { tokens, isPaid } = await openPanel()
  const originalFetch = fetch
  let isConnectionCut = true
  vi.stubGlobal('fetch', async (request: Request, init?: RequestInit) => {
    if (isConnectionCut && /\/api\/payment\/\d+$/.test(String(request.url))) throw new TypeError('Failed to fetch')
    return await originalFetch(request, init)
  })
  const pressAndFail = async () => {
    await press(/by card$/)
    await expect.poll(() => screen.queryByRole('button', { name: /by card$/, busy: true })).toBeNull()
  }
  await pressAndFail()
  await pressAndFail()
  expect(fakeCard.tokenCount).toBe(1)
  fakeCard.change()
  await pressAndFail()
  expect(fakeCard.tokenCount).toBe(2)
  isConnectionCut = false
  await press(/by card$/)
  await screen.findByText('Payment received')
  expect([tokens, await isPaid()]).toEqual([['ctoken_good_2'], true])
})

it.each([
  ['is cut off', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['is replaced by a proxy', async () => new Response('<h1>504</h1>', { status: 504 })],
])('A payment whose response %s is shown as paid, not as failed (fault 36M81g)', async (_, loseResponse) => {
  stubStripe()
  const { tokens, isPaid } = await openPanel()
  losePayments(loseResponse)
  await press(/by card$/)
  await screen.findByText('Payment received')
  expect(screen.queryByText(/Payment failed/)).toBeNull()
  expect([tokens.length, await isPaid()]).toEqual([1, true])
})

it('A payment with an unknown result is shown as unknown, and a retry pays only once (fault 36M81g)', async () => {
  stubStripe()
  const { tokens, isPaid } = await openPanel()
  const restoreResponses = losePayments(() => Promise.reject(new TypeError('Failed to fetch')), { checks: true })
  await press(/by card$/)
  await findText('It is not yet known whether your payment went through')
  expect(screen.queryByText(/Payment failed/)).toBeNull()
  restoreResponses()
  await press(/by card$/)
  await screen.findByText('Payment received')
  expect([tokens.length, await isPaid()]).toEqual([1, true])
})

/**
 * Replaces the response to each payment by `getResponse`. The payments reach the server. Returns a function that restores the responses.
 */
function losePayments(getResponse: () => Promise<Response>, { checks: areChecksLost = false } = {}): () => void {
  const originalFetch = fetch
  let areResponsesLost = true
  vi.stubGlobal('fetch', async (request: Request, init?: RequestInit) => {
    const path = new URL(String(request.url ?? request), location.origin).pathname
    if (areResponsesLost && areChecksLost && /\/api\/payment\/\d+\/./.test(path)) throw new TypeError('Failed to fetch')
    const serverResponse = await originalFetch(request, init)
    return areResponsesLost && /\/api\/payment\/\d+$/.test(path) ? await getResponse() : serverResponse
  })
  return () => void (areResponsesLost = false)
}

it('A gateway that does not respond is not reported as an invalid card (fault 36M81d)', async () => {
  const fakeCard = stubStripe()
  const { tokens } = await openPanel()
  fakeCard.refusal = { type: 'api_connection_error', message: 'We are experiencing issues.' }
  await press(/by card$/)
  await findText('The card could not be sent to the payment provider. Try again.')
  expect(screen.queryByText('Your card information is invalid')).toBeNull()
  expect(screen.queryByText(/experiencing issues/)).toBeNull()
  expect(tokens).toEqual([])
})

it('The payment page of the gateway remains available next to the card fields (fault 36M81d)', async () => {
  stubStripe()
  const { tokens } = await openPanel(() => ({
    kind: 'redirect',
    url: `${location.origin}/#gateway`,
    gatewayId: 'cs_1',
  }))
  await screen.findByRole('heading', { name: 'Other ways to pay' })
  await press(/on the payment page$/)
  await expect.poll(() => location.hash).toBe('#gateway')
  expect(tokens).toEqual([null])
})

it('Card input is kept without a connection, and payment is disabled with the reason (fault 36M81d)', async () => {
  const fakeCard = stubStripe()
  await openPanel()
  fixture.browser.goOffline()
  await screen.findByText(/^Paying needs a connection/, { selector: '.payment-offline' })
  for (const name of [/by card$/, /on the payment page$/])
    expect((await screen.findByRole('button', { name })).getAttribute('aria-disabled')).toBe('true')
  screen.getByText('Card fields')
  fixture.browser.goOnline()
  await expect.poll(() => document.querySelector('.payment-offline')).toBeNull()
  await press(/by card$/)
  await screen.findByText('Payment received')
  expect(fakeCard.mountCount).toBe(1)
})

it('The payment deadline is shown to the second (fault 36M53a)', async () => {
  stubStripe()
  await openPanel()
  expect(screen.getByText(/^Due by/).textContent).toMatch(/^Due by \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
})
