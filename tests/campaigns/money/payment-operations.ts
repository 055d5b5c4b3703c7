/** Performs buyers' payments: by card, on the gateway's page, with 3-D Secure, by Alipay, twice, in two tabs, late, and not at all. */
import { type Random, pick } from '#tests/support/runner/random.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'
import {
  type Buyer,
  type MoneyPayable,
  type PaymentPage,
  pickSome,
  type PortalResponse,
  readOrder,
  sendRequest,
} from '#tests/campaigns/money/buyer.ts'
import {
  backUpToTheEnd,
  changeUp,
  create,
  type BuyerOperation,
  type BuyerOperationResult,
  removeOrder,
  replace,
  toResult,
} from '#tests/campaigns/money/order-operations.ts'
import { toTimestamp } from '#domain/time.ts'

export const claimKinds = { CONTRACT: 'order', PDBORDER: 'backup', TRAFFIC: 'traffic' } as const
export const visaCard = { type: 'stripe', token: 'pm_card_visa' }
export const cardPageFields = { type: 'stripe' }

/** Validity of a signed address in ms. Alipay refuses older addresses. */
const alipayAddressMs = 24 * 3_600_000

export const listUnpaid = ({ payables }: Buyer) => payables.filter(({ state }) => state === 'unpaid')

/** Sends the payment once, as the administrator or as staff. */
export async function sendPayment(
  buyer: Buyer,
  payable: MoneyPayable,
  fields: object,
  actor: 'admin' | 'staff' = 'admin',
): Promise<PortalResponse | null> {
  const body = { contractType: payable.contractType, ...fields }
  const response = await sendRequest(buyer, 'POST', `/api/payment/${payable.id}`, { body, actor })
  const isPaid =
    (response?.status === 200 && response.body.status === 'paid') ||
    (response?.status === 409 && response.body.data?.why === 'paidAlready')
  if (isPaid) {
    payable.state = 'paid'
    buyer.claims.push({ kind: claimKinds[payable.contractType], id: payable.id, state: 'paid' })
  }
  if (response?.status === 404) payable.state = 'deleted'
  if (response?.body.data?.why === 'invalid' && payable.state === 'unpaid') payable.state = 'overdue'
  if (response?.status === 200 && typeof response.body.redirect === 'string')
    payable.paymentPages.push({ address: response.body.redirect, since: buyer.world.clock() })
  return response
}

const isPaidNow = (response: PortalResponse | null) => response?.status === 200 && response.body.status === 'paid'

export const toPaymentResult = (response: PortalResponse | null): BuyerOperationResult =>
  response?.status === 200 && response.body.status === 'processing' ? 'unanswered' : toResult(response)

/** Creates an operation that pays an unpaid item, or returns `skipped` if no item is unpaid. */
const createPayment =
  (work: (buyer: Buyer, payable: MoneyPayable, random: Random) => Promise<BuyerOperationResult>): BuyerOperation =>
  async (buyer, random) => {
    const payable = pickSome(random, listUnpaid(buyer))
    return payable ? await work(buyer, payable, random) : 'skipped'
  }

export const payByCard = createPayment(async (buyer, payable) =>
  toPaymentResult(await sendPayment(buyer, payable, visaCard)),
)

export const payByDeclinedCard = createPayment(async (buyer, payable, random) => {
  const token = pick(random, ['pm_card_visa_chargeDeclined', 'pm_card_chargeDeclinedExpiredCard'])
  const response = await sendPayment(buyer, payable, { type: 'stripe', token })
  return response?.body.errorCode === 'CARD_INVALID' ? 'done' : toPaymentResult(response)
})

/** Opens the gateway page of the portal's response, and pays or cancels there. */
const createPagePayment = (fields: object, action: PageAction) =>
  createPayment(async (buyer, payable, random) => {
    const response = await sendPayment(buyer, payable, fields)
    const page = response?.body.redirect
    return typeof page === 'string'
      ? await actOnPage(buyer, payable, { page, action, random })
      : toPaymentResult(response)
  })

type PageAction = 'pay' | 'decline' | 'leave'

export const payAtBank = createPagePayment({ type: 'stripe', token: 'pm_card_threeDSecureRequired' }, 'pay')
export const refuseAtBank = createPagePayment({ type: 'stripe', token: 'pm_card_threeDSecureRequired' }, 'decline')
export const payOnPage = createPagePayment(cardPageFields, 'pay')
export const declineOnPage = createPagePayment(cardPageFields, 'decline')
export const leavePage = createPagePayment(cardPageFields, 'leave')

/** Returns how an item is paid by Alipay. RMB is paid by the buyer, other currencies by staff (D66). */
const getAlipayOptions = ({ currency }: MoneyPayable) =>
  currency === 'RMB'
    ? { fields: { type: 'alipay' }, actor: 'admin' as const }
    : { fields: { type: 'globalAlipay' }, actor: 'staff' as const }

const createAlipayPayment = (action: PageAction) =>
  createPayment(async (buyer, payable, random) => {
    const { fields, actor } = getAlipayOptions(payable)
    const response = await sendPayment(buyer, payable, fields, actor)
    const page = response?.body.redirect
    return typeof page === 'string'
      ? await actOnPage(buyer, payable, { page, action, random })
      : toPaymentResult(response)
  })

export const payByAlipay = createAlipayPayment('pay')
/** Requests an address at Alipay, valid for hours, that nobody opens. The gateway has no payment for it. */
export const keepAlipayAddress = createAlipayPayment('leave')

export const payBySimulation = createPayment(async (buyer, payable) =>
  toPaymentResult(await sendPayment(buyer, payable, { type: 'simulate' }, 'staff')),
)

export const payTwice = createPayment(async (buyer, payable) => {
  const [firstResponse, secondResponse] = await Promise.all([
    sendPayment(buyer, payable, visaCard),
    sendPayment(buyer, payable, visaCard),
  ])
  return isPaidNow(firstResponse) ? toPaymentResult(firstResponse) : toPaymentResult(secondResponse)
})

/** Pays by card in one tab and on the gateway's page in another. The page is paid even if the card payment has succeeded. */
export const payInTwoTabs = createPayment(async (buyer, payable, random) => {
  const [page, card] = await Promise.all([
    sendPayment(buyer, payable, cardPageFields),
    sendPayment(buyer, payable, visaCard),
  ])
  const address = page?.body.redirect
  if (typeof address !== 'string') return toPaymentResult(card)
  return await actOnPage(buyer, payable, { page: address, action: 'pay', random })
})

/** Opens the gateway's page, then pays by card, then pays on the page too. */
export const payOtherwise = createPayment(async (buyer, payable, random) => {
  const page = (await sendPayment(buyer, payable, cardPageFields))?.body.redirect
  const response = await sendPayment(buyer, payable, visaCard)
  if (typeof page !== 'string') return toPaymentResult(response)
  const lateResult = await actOnPage(buyer, payable, { page, action: 'pay', random })
  return lateResult === 'done' ? lateResult : toPaymentResult(response)
})

const createWhilePaying = (
  change: (buyer: Buyer, payable: MoneyPayable, random: Random) => Promise<BuyerOperationResult>,
  isSuitable: (payable: MoneyPayable) => boolean,
): BuyerOperation => {
  return async (buyer, random) => {
    const payable = pickSome(random, listUnpaid(buyer).filter(isSuitable))
    if (!payable) return 'skipped'
    const isCard = random() < 0.5
    const page = isCard ? null : (await sendPayment(buyer, payable, cardPageFields))?.body.redirect
    const settling =
      typeof page === 'string'
        ? actOnPage(buyer, payable, { page, action: 'pay', random })
        : sendPayment(buyer, payable, visaCard).then(toPaymentResult)
    const [result] = await Promise.all([change(buyer, payable, random), settling])
    return result
  }
}

export const deleteWhilePaying = createWhilePaying(
  (buyer, payable, random) => removeOrder(buyer, random, payable),
  ({ contractType }) => contractType === 'CONTRACT',
)
/** Replaces the latest replaceable order, which is usually the order that is being paid. */
export const replaceWhilePaying = createWhilePaying(
  (buyer, _payable, random) => replace(buyer, random),
  ({ type }) => type === 'create',
)

/** Pays on the page of an order that ended meanwhile, if a page still accepts money. */
export async function payEndedPage(buyer: Buyer, random: Random): Promise<void> {
  const endedPayables = buyer.payables.filter(
    ({ state, endRun, paymentPages }) =>
      (state === 'unpaid' || state === 'overdue') &&
      endRun !== null &&
      endRun <= buyer.world.today() &&
      paymentPages.length > 0,
  )
  const payable = pickSome(random, endedPayables)
  const page = payable?.paymentPages.findLast((paymentPage) => !isTooOld(buyer, paymentPage))
  if (payable && page) await actOnPage(buyer, payable, { page: page.address, action: 'pay', random })
}

const isTooOld = ({ world }: Buyer, { address, since }: PaymentPage) =>
  address.includes('gateway.do') && world.clock() - since > alipayAddressMs

/** Reopens a random earlier gateway page and pays there, in any state of its order. */
export const payOldPage: BuyerOperation = async (buyer, random) => {
  const states = [
    ...new Set(buyer.payables.filter(({ paymentPages }) => paymentPages.length > 0).map(({ state }) => state)),
  ]
  if (states.length === 0) return 'skipped'
  const state = pick(random, states)
  const payable = pickSome(
    random,
    buyer.payables.filter((candidate) => candidate.state === state && candidate.paymentPages.length > 0),
  )
  const page = payable && pickSome(random, payable.paymentPages)
  if (!payable || page === null) return 'skipped'
  return isTooOld(buyer, page)
    ? 'refused'
    : await actOnPage(buyer, payable, { page: page.address, action: 'pay', random })
}

/** Deletes an order while the gateway does not respond and the payer has its page open. */
export const deleteUnderSilence: BuyerOperation = async (buyer, random) => {
  const payable = pickSome(
    random,
    listUnpaid(buyer).filter(({ contractType }) => contractType === 'CONTRACT'),
  )
  if (!payable) return 'skipped'
  const page = (await sendPayment(buyer, payable, cardPageFields))?.body.redirect
  buyer.world.sandbox.faults.fail = 6
  const result = await removeOrder(buyer, random, payable)
  if (typeof page === 'string') await actOnPage(buyer, payable, { page, action: 'pay', random })
  return result
}

export const payAgain: BuyerOperation = async (buyer, random) => {
  const payable = pickSome(
    random,
    buyer.payables.filter(({ state }) => state === 'paid'),
  )
  if (!payable) return 'skipped'
  const response = await sendPayment(buyer, payable, visaCard)
  return response?.status === 409 ? 'done' : toPaymentResult(response)
}

export const checkPaymentState: BuyerOperation = async (buyer, random) => {
  const payable = pickSome(random, buyer.payables)
  if (!payable) return 'skipped'
  const path = `/api/payment/${payable.id}/check`
  const response = await sendRequest(buyer, 'POST', path, { body: { contractType: payable.contractType } })
  if (response?.status === 200 && response.body.status === 'paid' && payable.state === 'unpaid') payable.state = 'paid'
  return toResult(response)
}

/** Creates an operation that orders and requests the address of a gateway page. The page is paid later or never. */
const createLeaving =
  (placeOrder: BuyerOperation): BuyerOperation =>
  async (buyer, random) => {
    const countBefore = buyer.payables.length
    const result = await placeOrder(buyer, random)
    const payable = buyer.payables.at(-1)
    if (result !== 'done' || buyer.payables.length === countBefore || payable?.state !== 'unpaid') return result
    const { fields, actor } =
      random() < 0.6 ? getAlipayOptions(payable) : { fields: cardPageFields, actor: 'admin' as const }
    return toPaymentResult(await sendPayment(buyer, payable, fields, actor))
  }

export const orderAndLeave = createLeaving(create)
export const changeAndLeave = createLeaving(changeUp)
export const backUpAndLeave = createLeaving(backUpToTheEnd)

interface PageVisit {
  page: string
  action: PageAction
  random: Random
}

/** Submits the gateway's forms and sometimes returns to the portal, whose server may be down. */
export async function actOnPage(
  buyer: Buyer,
  payable: MoneyPayable,
  { page, action, random }: PageVisit,
): Promise<BuyerOperationResult> {
  if (action === 'leave') return 'done'
  const firstPage = await openGatewayPage(page)
  if (firstPage.status === 404) return 'refused'
  let currentPage = firstPage
  for (let forms = 0; forms < 2 && currentPage.status === 200; forms++)
    currentPage = await openGatewayPage(currentPage.url, buildPageForm(currentPage.url, action))
  if (currentPage.status !== 0) return action === 'decline' && currentPage.status === 200 ? 'done' : 'refused'
  const isPaidOnPage =
    firstPage.status === 200 && action === 'pay' && !currentPage.url.includes('redirect_status=failed')
  if (isPaidOnPage) {
    const lateResult = describeLateness(buyer, payable)
    if (lateResult !== null) buyer.countEvent(lateResult)
  }
  if (random() < 0.7) await fetch(currentPage.url, { redirect: 'manual' }).catch(() => null)
  if (isPaidOnPage && payable.contractType === 'CONTRACT' && random() < 0.7) await readOrder(buyer, payable)
  return 'done'
}

function buildPageForm(address: string, action: PageAction): Record<string, string> {
  const { pathname } = new URL(address)
  if (pathname.startsWith('/pay/bank/')) return { answer: action === 'pay' ? 'yes' : 'no' }
  if (pathname.startsWith('/pay/card/')) return { card: action === 'pay' ? '4242424242424242' : '4000000000000002' }
  return { answer: 'pay' }
}

/** Returns the name under which the report counts money for an item that expects none. Returns null if the item expects money. */
function describeLateness({ world }: Buyer, { state, due, endRun }: MoneyPayable): string | null {
  if (state === 'deleted') return 'money for a deleted order'
  if (state === 'replaced') return 'money for a replaced order'
  if (state === 'paid') return 'money for something paid already'
  if (endRun !== null && endRun <= world.today()) return 'money after the end of the contract'
  if (state === 'overdue' || (due !== null && due < toTimestamp('Asia/Hong_Kong', world.clock())))
    return 'money after the due time'
  return null
}
