/**
 * Simulates payers who order and pay while the server is killed: by card, on the gateway's page, with 3-D Secure, by Alipay, with two
 * clicks, in two tabs. Some leave, or delete what they are paying for. They continue as soon as the server responds.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { clientCredential } from '#contract/accounts.ts'
import type { SandboxServer } from '#demo/payment-sandbox/sandbox-server.ts'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { createToken } from '#tests/support/orders/card-fields.ts'
import { drawBetween, type Random, pick } from '#tests/support/runner/random.ts'
import { openGatewayPage } from '#tests/support/orders/gateway-pages.ts'

export const payerPlans = [
  'card',
  'typed',
  'declined',
  'bank',
  'page',
  'alipay',
  'twice',
  'tabs',
  'left',
  'deleted',
] as const
export type PayerPlan = (typeof payerPlans)[number]

export interface PayerWorld {
  url: string
  accessToken: string
  sandbox: SandboxServer
  random: Random
  /** Ids of unpaid months of traffic in HKD. */
  traffic: number[]
  /** Returns the business day, which may change during the run. */
  today: () => string
  /** Resolves when the server, which may be down, responds again. */
  waitUntilUp: () => Promise<void>
}

/** Kinds of items that can be paid (D66). */
export const paymentSubjects = ['CONTRACT', 'PDBORDER', 'TRAFFIC'] as const
export type PaymentSubject = (typeof paymentSubjects)[number]

export interface Payer {
  subject: PaymentSubject
  plan: PayerPlan
  round: number
  id: number
  /** State according to the last response to the payer. */
  payerState: 'paid' | 'unpaid' | 'gone'
}

interface PortalResponse {
  status: number
  /** The header Retry-After in ms, or 0. */
  retryAfterMs: number
  body: {
    id?: number
    location?: string
    status?: string
    redirect?: string
    errorCode?: string
    data?: { why?: string } | null
  }
}

/** Sends a request to the portal. Returns null if no response came. */
export async function callPortal(
  { url, accessToken }: Pick<PayerWorld, 'url' | 'accessToken'>,
  method: string,
  path: string,
  body: object | null = null,
  key: string | null = null,
): Promise<PortalResponse | null> {
  const headers = {
    authorization: `Bearer ${accessToken}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(key ? { 'idempotency-key': key } : {}),
  }
  try {
    const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await response.text()
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as PortalResponse['body']),
      retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1000,
    }
  } catch {
    return null
  }
}

/** Signs in, and repeats this if needed: a server that has just started on a busy machine may refuse a login temporarily. */
export async function signIn(url: string, company: string, userName = 'admin'): Promise<string> {
  const username = `${company}:${userName}@${company}.example`
  for (let tries = 0; ; tries++) {
    const response = await fetch(`${url}/api/m18s/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(clientCredential).toString('base64')}`, 'x-token-store': 'body' },
      body: new URLSearchParams({ grant_type: 'password', username, password: demoPassword }),
    })
    const responseText = await response.text()
    if (response.status === 200) return (JSON.parse(responseText) as { access_token: string }).access_token
    if (tries === 30 || response.status < 429) throw new Error(`the sign-in failed: ${response.status} ${responseText}`)
    await wait(1000)
  }
}

/** Repeats the request until there is a response that is not an error caused by a kill or by load. */
async function sendUntilAnswered(
  world: PayerWorld,
  send: () => Promise<PortalResponse | null>,
): Promise<PortalResponse> {
  for (let tries = 0; tries < 60; tries++) {
    const response = await send()
    if (response && response.status < 500 && response.body.errorCode !== 'IDEMPOTENCY_IN_PROGRESS') return response
    await wait(20 + 20 * tries)
    await world.waitUntilUp()
  }
  throw new Error('the server gave no usable response')
}

const sendPayment = (world: PayerWorld, { id, subject }: Payer, fields: object) =>
  callPortal(world, 'POST', `/api/payment/${id}`, { contractType: subject, type: 'stripe', ...fields })

const visaCard = { token: 'pm_card_visa' }

/** Orders what the plan pays for. A backup needs a contract, which is ordered and paid by card first. Months of traffic already exist. */
export async function placeOrder(
  world: PayerWorld,
  plan: PayerPlan,
  round: number,
  subject: PaymentSubject,
): Promise<Payer> {
  if (subject === 'TRAFFIC') return { subject, plan, round, id: world.traffic.pop() ?? 0, payerState: 'unpaid' }
  const code = `k${randomUUID().replaceAll('-', '').slice(0, 12)}`
  const contractPayer = {
    subject: 'CONTRACT',
    plan,
    round,
    id: await orderContract(world, plan, code),
    payerState: 'unpaid',
  } as const
  if (subject === 'CONTRACT') return contractPayer
  await payUntilPaid(world, { ...contractPayer, plan: 'card' })
  const services = await sendUntilAnswered(world, () => callPortal(world, 'GET', `/api/aws/service?searchText=${code}`))
  const [service] = (services.body as { data?: { id: number; code: string }[] }).data ?? []
  const orderInput = { service_id: service?.id, pdb_type: 'pdb2s3', period: 3, period_type: 'month' }
  return { ...contractPayer, subject, id: await placeOrderAt(world, '/api/pdb/order', orderInput) }
}

/** Places the order and returns its id. */
async function placeOrderAt(world: PayerWorld, path: string, orderInput: object): Promise<number> {
  const key = randomUUID()
  const { status, body } = await sendUntilAnswered(world, () => callPortal(world, 'POST', path, orderInput, key))
  if (status !== 200 || body.id === undefined) throw new Error(`the order failed: ${status} ${JSON.stringify(body)}`)
  return body.id
}

function orderContract(world: PayerWorld, plan: PayerPlan, code: string): Promise<number> {
  const orderInput = {
    code,
    name: plan,
    currency: plan === 'alipay' ? 'RMB' : 'HKD',
    user_mode: 'CONCURRENT',
    users: drawBetween(world.random, 5, 50),
    modules: ['core', 'fin'],
    period: 1,
    period_start: world.today(),
  }
  return placeOrderAt(world, '/api/sorder', orderInput)
}

export async function runPayer(world: PayerWorld, payer: Payer): Promise<void> {
  await payersByPlan[payer.plan](world, payer)
}

const isPaid = ({ status, body }: PortalResponse) =>
  (status === 200 && body.status === 'paid') || (status === 409 && body.data?.why === 'paidAlready')

/** Retries the payment with the same card until it is paid. The page still holds the card's token. */
async function payUntilPaid(world: PayerWorld, payer: Payer, fields: object = visaCard): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const response = await sendUntilAnswered(world, () => sendPayment(world, payer, fields))
    if (isPaid(response)) {
      payer.payerState = 'paid'
      return
    }
    if (response.body.redirect !== undefined)
      await submitOnPage(world, response.body.redirect, buildPageForm(payer.plan))
    else if (response.body.status !== 'processing')
      throw new Error(`order ${payer.id} (${payer.plan}) received ${response.status} ${JSON.stringify(response.body)}`)
    await wait(50)
  }
  throw new Error(`order ${payer.id} (${payer.plan}) is not paid after 200 tries`)
}

const buildPageForm = (plan: PayerPlan): Record<string, string> =>
  plan === 'bank' ? { answer: 'yes' } : plan === 'alipay' ? { answer: 'pay' } : { card: '4242424242424242' }

/** Opens the gateway's page, submits its form, and sometimes returns to the portal, whose server may be down. */
async function submitOnPage({ random }: PayerWorld, address: string, form: Record<string, string>): Promise<void> {
  const page = await openGatewayPage(address)
  const nextPage = page.status === 200 ? await openGatewayPage(page.url, form) : page
  if (nextPage.status === 0 && random() < 0.7) await fetch(nextPage.url, { redirect: 'manual' }).catch(() => undefined)
}

/** Sends the payment once and ignores the response, like a user who closes the window. */
const payOnce = async (world: PayerWorld, payer: Payer, fields: object) => {
  const response = await sendPayment(world, payer, fields)
  if (response && isPaid(response)) payer.payerState = 'paid'
  return response
}

const pendingCodes = ['PAYMENT_UNANSWERED', 'PAYMENT_IN_PROGRESS']

/** Retries until the order is deleted or was paid in the meantime, also if the gateway does not respond. Returns false if it was paid. */
async function removeOrder(world: PayerWorld, { id }: Payer): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    const key = randomUUID()
    const { status, body } = await sendUntilAnswered(world, () =>
      callPortal(world, 'DELETE', `/api/sorder/${id}`, null, key),
    )
    if (status === 204) return true
    if (!pendingCodes.includes(body.errorCode ?? '')) return false
    await wait(50)
  }
  throw new Error(`order ${id} is neither deleted nor paid after 200 tries`)
}

const payersByPlan: Record<PayerPlan, (world: PayerWorld, payer: Payer) => Promise<void>> = {
  card: (world, payer) => payUntilPaid(world, payer),
  /** Pays with typed card fields. Their token is valid for one payment only. */
  async typed(world, payer) {
    const token = await createToken(world.sandbox)
    await Promise.all([payOnce(world, payer, { token }), payOnce(world, payer, { token })])
    await payUntilPaid(world, payer, { token })
  },
  async declined(world, payer) {
    const response = await payOnce(world, payer, { token: 'pm_card_visa_chargeDeclined' })
    if (response?.status === 200 && response.body.status === 'paid') throw new Error('a declined card has paid')
    await sendUntilAnswered(world, () => sendPayment(world, payer, { token: 'pm_card_visa_chargeDeclined' }))
    await payUntilPaid(world, payer)
  },
  bank: (world, payer) => payUntilPaid(world, payer, { token: 'pm_card_threeDSecureRequired' }),
  page: (world, payer) => payUntilPaid(world, payer, {}),
  alipay: (world, payer) => payUntilPaid(world, payer, { type: 'alipay' }),
  async twice(world, payer) {
    await Promise.all([payOnce(world, payer, visaCard), payOnce(world, payer, visaCard)])
    await payUntilPaid(world, payer)
  },
  async tabs(world, payer) {
    const [page] = await Promise.all([payOnce(world, payer, {}), payOnce(world, payer, visaCard)])
    if (page?.body.redirect !== undefined && world.random() < 0.5)
      await submitOnPage(world, page.body.redirect, buildPageForm('page'))
    await payUntilPaid(world, payer)
  },
  async left(world, payer) {
    const response = await payOnce(world, payer, pick(world.random, [visaCard, {}]))
    if (response?.body.redirect !== undefined) await submitOnPage(world, response.body.redirect, buildPageForm('page'))
  },
  async deleted(world, payer) {
    const response = await payOnce(world, payer, {})
    const [isDeleted] = await Promise.all([
      removeOrder(world, payer),
      response?.body.redirect === undefined ? null : submitOnPage(world, response.body.redirect, buildPageForm('page')),
    ])
    payer.payerState = isDeleted ? 'gone' : 'paid'
  },
}
