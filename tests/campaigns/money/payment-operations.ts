/** What buyers do to pay: by card, on the gateway's page, at their bank, by Alipay, twice, in two tabs, late, and not at all. */
import { type Chance, pick } from '#tests/support/runner/chance.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'
import {
  type Buyer,
  type Payable,
  type PaymentPage,
  pickSome,
  type PortalResponse,
  readOrder,
  request,
} from '#tests/campaigns/money/buyer.ts'
import {
  backUpToTheEnd,
  changeUp,
  create,
  type Operation,
  type OperationResult,
  removeOrder,
  replace,
  toResult,
} from '#tests/campaigns/money/order-operations.ts'
import { timestampIn } from '#domain/time.ts'

const kinds = { CONTRACT: 'order', PDBORDER: 'backup', TRAFFIC: 'traffic' } as const
const visa = { type: 'stripe', token: 'pm_card_visa' }
const cardPage = { type: 'stripe' }

/** A signed address of Alipay that is older is refused there. */
const signedForMs = 24 * 3_600_000

const unpaidOf = ({ payables }: Buyer) => payables.filter(({ state }) => state === 'unpaid')

/** Presses the button once, as the administrator or as the staff. */
async function pay(
  buyer: Buyer,
  payable: Payable,
  fields: object,
  as: 'admin' | 'staff' = 'admin',
): Promise<PortalResponse | null> {
  const body = { contractType: payable.contractType, ...fields }
  const response = await request(buyer, 'POST', `/api/payment/${payable.id}`, { body, as })
  const isPaid =
    (response?.status === 200 && response.body.status === 'paid') ||
    (response?.status === 409 && response.body.data?.why === 'paidAlready')
  if (isPaid) {
    payable.state = 'paid'
    buyer.claims.push({ kind: kinds[payable.contractType], id: payable.id, state: 'paid' })
  }
  if (response?.status === 404) payable.state = 'deleted'
  if (response?.body.data?.why === 'invalid' && payable.state === 'unpaid') payable.state = 'overdue'
  if (response?.status === 200 && typeof response.body.redirect === 'string')
    payable.pages.push({ address: response.body.redirect, since: buyer.world.clock() })
  return response
}

const isPaidNow = (response: PortalResponse | null) => response?.status === 200 && response.body.status === 'paid'

const resultOf = (response: PortalResponse | null): OperationResult =>
  response?.status === 200 && response.body.status === 'processing' ? 'unanswered' : toResult(response)

/** How an unpaid thing is paid; `skipped` where there is none. */
const paying =
  (work: (buyer: Buyer, payable: Payable, chance: Chance) => Promise<OperationResult>): Operation =>
  async (buyer, chance) => {
    const payable = pickSome(chance, unpaidOf(buyer))
    return payable ? await work(buyer, payable, chance) : 'skipped'
  }

export const payByCard = paying(async (buyer, payable) => resultOf(await pay(buyer, payable, visa)))

export const payByDeclinedCard = paying(async (buyer, payable, chance) => {
  const token = pick(chance, ['pm_card_visa_chargeDeclined', 'pm_card_chargeDeclinedExpiredCard'])
  const response = await pay(buyer, payable, { type: 'stripe', token })
  return response?.body.errorCode === 'CARD_INVALID' ? 'done' : resultOf(response)
})

/** Opens the address that the portal led to, and pays there or turns back. */
const onPage = (fields: object, answer: PageAnswer) =>
  paying(async (buyer, payable, chance) => {
    const response = await pay(buyer, payable, fields)
    const page = response?.body.redirect
    return typeof page === 'string' ? await answerPage(buyer, payable, { page, answer, chance }) : resultOf(response)
  })

type PageAnswer = 'pay' | 'decline' | 'leave'

export const payAtBank = onPage({ type: 'stripe', token: 'pm_card_threeDSecureRequired' }, 'pay')
export const refuseAtBank = onPage({ type: 'stripe', token: 'pm_card_threeDSecureRequired' }, 'decline')
export const payOnPage = onPage(cardPage, 'pay')
export const declineOnPage = onPage(cardPage, 'decline')
export const leavePage = onPage(cardPage, 'leave')

/** RMB by the buyer, the rest by the staff (D66). */
const alipayOf = ({ currency }: Payable) =>
  currency === 'RMB'
    ? { fields: { type: 'alipay' }, as: 'admin' as const }
    : { fields: { type: 'globalAlipay' }, as: 'staff' as const }

const byAlipay = (answer: PageAnswer) =>
  paying(async (buyer, payable, chance) => {
    const { fields, as } = alipayOf(payable)
    const response = await pay(buyer, payable, fields, as)
    const page = response?.body.redirect
    return typeof page === 'string' ? await answerPage(buyer, payable, { page, answer, chance }) : resultOf(response)
  })

export const payByAlipay = byAlipay('pay')
/** The address is signed for hours, and nobody has opened it yet: the gateway knows of no payment. */
export const keepAlipayAddress = byAlipay('leave')

export const simulate = paying(async (buyer, payable) =>
  resultOf(await pay(buyer, payable, { type: 'simulate' }, 'staff')),
)

export const payTwice = paying(async (buyer, payable) => {
  const [one, other] = await Promise.all([pay(buyer, payable, visa), pay(buyer, payable, visa)])
  return isPaidNow(one) ? resultOf(one) : resultOf(other)
})

/** A card in one tab, and the gateway's page in another, which is paid whatever became of the card. */
export const payInTwoTabs = paying(async (buyer, payable, chance) => {
  const [page, card] = await Promise.all([pay(buyer, payable, cardPage), pay(buyer, payable, visa)])
  const address = page?.body.redirect
  if (typeof address !== 'string') return resultOf(card)
  return await answerPage(buyer, payable, { page: address, answer: 'pay', chance })
})

/** The page is open, and the card pays first. */
export const payOtherwise = paying(async (buyer, payable, chance) => {
  const page = (await pay(buyer, payable, cardPage))?.body.redirect
  const response = await pay(buyer, payable, visa)
  if (typeof page !== 'string') return resultOf(response)
  const late = await answerPage(buyer, payable, { page, answer: 'pay', chance })
  return late === 'done' ? late : resultOf(response)
})

const whilePaying = (
  change: (buyer: Buyer, payable: Payable, chance: Chance) => Promise<OperationResult>,
  isWanted: (payable: Payable) => boolean,
): Operation => {
  return async (buyer, chance) => {
    const payable = pickSome(chance, unpaidOf(buyer).filter(isWanted))
    if (!payable) return 'skipped'
    const isCard = chance() < 0.5
    const page = isCard ? null : (await pay(buyer, payable, cardPage))?.body.redirect
    const settle =
      typeof page === 'string'
        ? answerPage(buyer, payable, { page, answer: 'pay', chance })
        : pay(buyer, payable, visa).then(resultOf)
    const [result] = await Promise.all([change(buyer, payable, chance), settle])
    return result
  }
}

export const deleteWhilePaying = whilePaying(
  (buyer, payable, chance) => removeOrder(buyer, chance, payable),
  ({ contractType }) => contractType === 'CONTRACT',
)
/** Replaces the newest one that can be, which mostly is the one that is being paid. */
export const replaceWhilePaying = whilePaying(
  (buyer, _payable, chance) => replace(buyer, chance),
  ({ type }) => type === 'create',
)

/** A page whose order has ended meanwhile is paid, where there is one that still takes money. */
export async function payEndedPage(buyer: Buyer, chance: Chance): Promise<void> {
  const ended = buyer.payables.filter(
    ({ state, end, pages }) =>
      (state === 'unpaid' || state === 'overdue') && end !== null && end <= buyer.world.today() && pages.length > 0,
  )
  const payable = pickSome(chance, ended)
  const page = payable?.pages.findLast((one) => !isTooOld(buyer, one))
  if (payable && page) await answerPage(buyer, payable, { page: page.address, answer: 'pay', chance })
}

const isTooOld = ({ world }: Buyer, { address, since }: PaymentPage) =>
  address.includes('gateway.do') && world.clock() - since > signedForMs

/** Any page that was ever led to is opened again and paid, whatever has become of what it is for. */
export const payOldPage: Operation = async (buyer, chance) => {
  const states = [...new Set(buyer.payables.filter(({ pages }) => pages.length > 0).map(({ state }) => state))]
  if (states.length === 0) return 'skipped'
  const state = pick(chance, states)
  const payable = pickSome(
    chance,
    buyer.payables.filter((one) => one.state === state && one.pages.length > 0),
  )
  const page = payable && pickSome(chance, payable.pages)
  if (!payable || page === null) return 'skipped'
  return isTooOld(buyer, page)
    ? 'refused'
    : await answerPage(buyer, payable, { page: page.address, answer: 'pay', chance })
}

/** The gateway says nothing while an order is deleted, and the payer has its page. */
export const deleteUnderSilence: Operation = async (buyer, chance) => {
  const payable = pickSome(
    chance,
    unpaidOf(buyer).filter(({ contractType }) => contractType === 'CONTRACT'),
  )
  if (!payable) return 'skipped'
  const page = (await pay(buyer, payable, cardPage))?.body.redirect
  buyer.world.sandbox.moods.fail = 6
  const result = await removeOrder(buyer, chance, payable)
  if (typeof page === 'string') await answerPage(buyer, payable, { page, answer: 'pay', chance })
  return result
}

/** What is paid already is asked to be paid once more. */
export const payAgain: Operation = async (buyer, chance) => {
  const payable = pickSome(
    chance,
    buyer.payables.filter(({ state }) => state === 'paid'),
  )
  if (!payable) return 'skipped'
  const response = await pay(buyer, payable, visa)
  return response?.status === 409 ? 'done' : resultOf(response)
}

export const askHowItStands: Operation = async (buyer, chance) => {
  const payable = pickSome(chance, buyer.payables)
  if (!payable) return 'skipped'
  const path = `/api/payment/${payable.id}/check`
  const response = await request(buyer, 'POST', path, { body: { contractType: payable.contractType } })
  if (response?.status === 200 && response.body.status === 'paid' && payable.state === 'unpaid') payable.state = 'paid'
  return toResult(response)
}

/** Orders, and is led to a page that is paid later, or never. */
const leaving =
  (place: Operation): Operation =>
  async (buyer, chance) => {
    const before = buyer.payables.length
    const result = await place(buyer, chance)
    const payable = buyer.payables.at(-1)
    if (result !== 'done' || buyer.payables.length === before || payable?.state !== 'unpaid') return result
    const { fields, as } = chance() < 0.6 ? alipayOf(payable) : { fields: cardPage, as: 'admin' as const }
    return resultOf(await pay(buyer, payable, fields, as))
  }

export const orderAndLeave = leaving(create)
export const changeAndLeave = leaving(changeUp)
export const backUpAndLeave = leaving(backUpToTheEnd)

interface Visit {
  page: string
  answer: PageAnswer
  chance: Chance
}

/** Sends the gateway's forms and comes back, or does not; the way back may meet a dead server. */
async function answerPage(buyer: Buyer, payable: Payable, { page, answer, chance }: Visit): Promise<OperationResult> {
  if (answer === 'leave') return 'done'
  const opened = await visit(page)
  if (opened.status === 404) return 'refused'
  let seen = opened
  for (let forms = 0; forms < 2 && seen.status === 200; forms++) seen = await visit(seen.url, formOf(seen.url, answer))
  if (seen.status !== 0) return answer === 'decline' && seen.status === 200 ? 'done' : 'refused'
  const hasPaid = opened.status === 200 && answer === 'pay' && !seen.url.includes('redirect_status=failed')
  if (hasPaid) {
    const late = lateness(buyer, payable)
    if (late !== null) buyer.count(late)
  }
  if (chance() < 0.7) await fetch(seen.url, { redirect: 'manual' }).catch(() => null)
  if (hasPaid && payable.contractType === 'CONTRACT' && chance() < 0.7) await readOrder(buyer, payable)
  return 'done'
}

function formOf(address: string, answer: PageAnswer): Record<string, string> {
  const { pathname } = new URL(address)
  if (pathname.startsWith('/pay/bank/')) return { answer: answer === 'pay' ? 'yes' : 'no' }
  if (pathname.startsWith('/pay/card/')) return { card: answer === 'pay' ? '4242424242424242' : '4000000000000002' }
  return { answer: 'pay' }
}

/** Under which name the report counts money for something that waits for none; null: it does. */
function lateness({ world }: Buyer, { state, due, end }: Payable): string | null {
  if (state === 'deleted') return 'money for a deleted order'
  if (state === 'replaced') return 'money for a replaced order'
  if (state === 'paid') return 'money for something paid already'
  if (end !== null && end <= world.today()) return 'money after the end of the contract'
  if (state === 'overdue' || (due !== null && due < timestampIn('Asia/Hong_Kong', world.clock())))
    return 'money after the due time'
  return null
}
