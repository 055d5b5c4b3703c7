/** Performs payments of several items at once (decision 110): alone, twice, and while one of the items is paid, deleted or in another group. */
import {
  type Buyer,
  type MoneyPayable,
  type PortalResponse,
  readOrder,
  sendRequest,
} from '#tests/campaigns/money/buyer.ts'
import {
  type BuyerOperation,
  type BuyerOperationResult,
  removeOrder,
  toResult,
} from '#tests/campaigns/money/order-operations.ts'
import {
  actOnPage,
  cardPageFields,
  claimKinds,
  listUnpaid,
  sendPayment,
  toPaymentResult,
  visaCard,
} from '#tests/campaigns/money/payment-operations.ts'
import { drawBetween, pick, type Random } from '#tests/support/runner/random.ts'

const maxGroupItems = 4

/** Returns at least two unpaid items of one currency in random order, or null. */
function drawItems(buyer: Buyer, random: Random, isSuitable: (items: MoneyPayable[]) => boolean = () => true) {
  const groups = [...Map.groupBy(listUnpaid(buyer), ({ currency }) => currency).values()].filter(
    (items) => items.length > 1 && isSuitable(items),
  )
  if (groups.length === 0) return null
  const items = pick(random, groups).map((item) => ({ item, rank: random() }))
  return items
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, drawBetween(random, 2, maxGroupItems))
    .map(({ item }) => item)
}

const toReferences = (items: readonly MoneyPayable[]) => items.map(({ contractType, id }) => ({ contractType, id }))

/** Sends one payment of all items, once. After a refusal it reads the orders, because one of them may have ended. */
async function sendItems(
  buyer: Buyer,
  items: readonly MoneyPayable[],
  fields: object,
  actor: 'admin' | 'staff' = 'admin',
): Promise<PortalResponse | null> {
  const body = { items: toReferences(items), ...fields }
  const response = await sendRequest(buyer, 'POST', '/api/payments', { body, actor })
  if (response?.status === 200 && response.body.status === 'paid')
    for (const item of items) {
      item.state = 'paid'
      buyer.claims.push({ kind: claimKinds[item.contractType], id: item.id, state: 'paid' })
    }
  if (response?.status === 200 && typeof response.body.redirect === 'string')
    for (const { paymentPages } of items)
      paymentPages.push({ address: response.body.redirect, since: buyer.world.clock() })
  if (response !== null && response.status >= 400 && response.status < 500)
    for (const item of items) if (item.contractType === 'CONTRACT') await readOrder(buyer, item)
  return response
}

type GroupWork = (buyer: Buyer, items: MoneyPayable[], random: Random) => Promise<BuyerOperationResult>

const createGroupPayment =
  (work: GroupWork, isSuitable?: (items: MoneyPayable[]) => boolean): BuyerOperation =>
  async (buyer, random) => {
    const items = drawItems(buyer, random, isSuitable)
    return items ? await work(buyer, items, random) : 'skipped'
  }

export const payTogether = createGroupPayment(async (buyer, items) =>
  toPaymentResult(await sendItems(buyer, items, visaCard)),
)

/** Opens the gateway page of the group. Its page is of all items; the first one is read again after the payment. */
async function openPage(buyer: Buyer, items: MoneyPayable[]): Promise<{ page: string | null; item: MoneyPayable }> {
  const page = (await sendItems(buyer, items, cardPageFields))?.body.redirect
  const [item] = items
  if (!item) throw new Error('a group has no items')
  return { page: typeof page === 'string' ? page : null, item }
}

export const payTogetherOnPage = createGroupPayment(async (buyer, items, random) => {
  const { page, item } = await openPage(buyer, items)
  return page === null ? 'refused' : await actOnPage(buyer, item, { page, action: 'pay', random })
})

/** Opens the gateway page of the group and leaves it. It may be paid later, when some of its items cannot be paid any more. */
export const leavePageTogether = createGroupPayment(async (buyer, items) =>
  (await openPage(buyer, items)).page === null ? 'refused' : 'done',
)

/** Pays the same items in two tabs, in another order. */
export const payTogetherTwice = createGroupPayment(async (buyer, items) => {
  const [first, second] = await Promise.all([
    sendItems(buyer, items, visaCard),
    sendItems(buyer, items.toReversed(), visaCard),
  ])
  return toPaymentResult(first?.status === 200 ? first : second)
})

/** Pays one of the items alone at the same time, by card or on a page that was opened before. */
export const payTogetherAndAlone = createGroupPayment(async (buyer, items, random) => {
  const item = pick(random, items)
  const page = random() < 0.5 ? (await sendPayment(buyer, item, cardPageFields))?.body.redirect : null
  const [together, alone] = await Promise.all([
    sendItems(buyer, items, visaCard),
    typeof page === 'string'
      ? actOnPage(buyer, item, { page, action: 'pay', random })
      : sendPayment(buyer, item, visaCard).then(toPaymentResult),
  ])
  return together?.status === 200 ? toPaymentResult(together) : alone
})

/** Pays two groups that have an item in common at the same time. */
export const payOverlappingGroups = createGroupPayment(
  async (buyer, items) => {
    const [first, second] = await Promise.all([
      sendItems(buyer, items.slice(1), visaCard),
      sendItems(buyer, items.slice(0, -1), visaCard),
    ])
    return toPaymentResult(first?.status === 200 ? first : second)
  },
  (items) => items.length > 2,
)

/** Deletes an order of the group while it is paid on the gateway's page, or just before. */
export const deleteWhilePayingTogether = createGroupPayment(async (buyer, items, random) => {
  const order = items.find(({ contractType }) => contractType === 'CONTRACT')
  const { page, item } = await openPage(buyer, items)
  if (!order || page === null) return 'refused'
  const removal = removeOrder(buyer, random, order)
  if (random() < 0.5) await removal
  const [result] = await Promise.all([removal, actOnPage(buyer, item, { page, action: 'pay', random })])
  return result
})

export const checkGroupState = createGroupPayment(async (buyer, items) =>
  toResult(await sendRequest(buyer, 'POST', '/api/payments/check', { body: { items: toReferences(items) } })),
)
