/**
 * People who order and pay while the server is killed under them: by card, on the gateway's page, at the bank, by Alipay, with
 * two clicks, in two tabs, and some who leave in the middle or delete what they are paying. They go on where the line lets them.
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
  /** Numbers of months of traffic in HKD that nobody has paid yet. */
  traffic: number[]
  /** The business day, which may be another one by the end. */
  today: () => string
  /** Resolves when the server, which may be dead by now, answers again. */
  waitUntilUp: () => Promise<void>
}

/** What is paid (D66). */
export const paymentSubjects = ['CONTRACT', 'PDBORDER', 'TRAFFIC'] as const
export type PaymentSubject = (typeof paymentSubjects)[number]

/** An order of one payer. */
export interface Payer {
  subject: PaymentSubject
  plan: PayerPlan
  round: number
  id: number
  /** What its payer was told last. */
  payerState: 'paid' | 'unpaid' | 'gone'
}

interface PortalResponse {
  status: number
  body: {
    id?: number
    location?: string
    status?: string
    redirect?: string
    errorCode?: string
    data?: { why?: string } | null
  }
}

/** Null: no answer came. */
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
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as PortalResponse['body']) }
  } catch {
    return null
  }
}

/** A server that has just come up on a busy machine may say that it has no room for it yet. */
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
    if (tries === 30 || response.status < 429) throw new Error(`no sign-in: ${response.status} ${responseText}`)
    await wait(1000)
  }
}

/** Until the server has said something that does not come of its being killed or busy. */
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
  throw new Error('the server gave no answer to go on with')
}

const sendPayment = (world: PayerWorld, { id, subject }: Payer, fields: object) =>
  callPortal(world, 'POST', `/api/payment/${id}`, { contractType: subject, type: 'stripe', ...fields })

const visaCard = { token: 'pm_card_visa' }

/** A backup is of a contract that was paid before, by card; traffic is there. */
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

/** Its number. */
async function placeOrderAt(world: PayerWorld, path: string, orderInput: object): Promise<number> {
  const key = randomUUID()
  const { status, body } = await sendUntilAnswered(world, () => callPortal(world, 'POST', path, orderInput, key))
  if (status !== 200 || body.id === undefined) throw new Error(`nothing was ordered: ${status} ${JSON.stringify(body)}`)
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

/** As its plan says, through whatever happens. */
export async function runPayer(world: PayerWorld, payer: Payer): Promise<void> {
  await payersByPlan[payer.plan](world, payer)
}

const isPaid = ({ status, body }: PortalResponse) =>
  (status === 200 && body.status === 'paid') || (status === 409 && body.data?.why === 'paidAlready')

/** Presses the button again until it is paid, with the same card: its token is what the page still holds. */
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
      throw new Error(`order ${payer.id} (${payer.plan}) was told ${response.status} ${JSON.stringify(response.body)}`)
    await wait(50)
  }
  throw new Error(`order ${payer.id} (${payer.plan}) is not paid after 200 tries`)
}

const buildPageForm = (plan: PayerPlan): Record<string, string> =>
  plan === 'bank' ? { answer: 'yes' } : plan === 'alipay' ? { answer: 'pay' } : { card: '4242424242424242' }

/** Opens the gateway's page, sends its form, and comes back or does not; the way back may meet a dead server. */
async function submitOnPage({ random }: PayerWorld, address: string, form: Record<string, string>): Promise<void> {
  const page = await openGatewayPage(address)
  const nextPage = page.status === 200 ? await openGatewayPage(page.url, form) : page
  if (nextPage.status === 0 && random() < 0.7) await fetch(nextPage.url, { redirect: 'manual' }).catch(() => undefined)
}

/** Without a word to the server, as somebody who closes the window in the middle. */
const payOnce = async (world: PayerWorld, payer: Payer, fields: object) => {
  const response = await sendPayment(world, payer, fields)
  if (response && isPaid(response)) payer.payerState = 'paid'
  return response
}

const pendingCodes = ['PAYMENT_UNANSWERED', 'PAYMENT_IN_PROGRESS']

/** Until it is deleted, or was paid in the meantime; a gateway that does not answer is asked again. False: it is paid. */
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
  /** Into the card fields, whose token is good for one payment only. */
  async typed(world, payer) {
    const token = await createToken(world.sandbox)
    await Promise.all([payOnce(world, payer, { token }), payOnce(world, payer, { token })])
    await payUntilPaid(world, payer, { token })
  },
  async declined(world, payer) {
    const response = await payOnce(world, payer, { token: 'pm_card_visa_chargeDeclined' })
    if (response?.status === 200 && response.body.status === 'paid') throw new Error('a card that is declined has paid')
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
