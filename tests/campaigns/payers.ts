/**
 * People who order and pay while the server is killed under them: by card, on the gateway's page, at the bank, by Alipay, with
 * two clicks, in two tabs, and some who leave in the middle or delete what they are paying. They go on where the line lets them.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { clientCredential } from '#contract/accounts.ts'
import type { Sandbox } from '#demo/payment-sandbox/server.ts'
import { demoPassword } from '#demo/sample-data/demo-data.ts'
import { createToken } from '#tests/support/orders/card-fields.ts'
import { between, type Chance, pick } from '#tests/support/runner/chance.ts'
import { visit } from '#tests/support/orders/gateway-pages.ts'

export const plans = [
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
export type Plan = (typeof plans)[number]

export interface World {
  url: string
  access: string
  sandbox: Sandbox
  chance: Chance
  /** Numbers of months of traffic in HKD that nobody has paid yet. */
  traffic: number[]
  /** The business day, which may be another one by the end. */
  today: () => string
  /** Resolves when the server, which may be dead by now, answers again. */
  up: () => Promise<void>
}

/** What is paid (D66). */
export const subjects = ['CONTRACT', 'PDBORDER', 'TRAFFIC'] as const
export type Subject = (typeof subjects)[number]

/** An order of one payer. */
export interface Paying {
  subject: Subject
  plan: Plan
  round: number
  id: number
  /** What its payer was told last. */
  told: 'paid' | 'unpaid' | 'gone'
}

interface Said {
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
export async function call(
  { url, access }: Pick<World, 'url' | 'access'>,
  method: string,
  path: string,
  body: object | null = null,
  key: string | null = null,
): Promise<Said | null> {
  const headers = {
    authorization: `Bearer ${access}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
    ...(key ? { 'idempotency-key': key } : {}),
  }
  try {
    const answer = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Said['body']) }
  } catch {
    return null
  }
}

/** A server that has just come up on a busy machine may say that it has no room for it yet. */
export async function signIn(url: string, company: string, who = 'admin'): Promise<string> {
  const username = `${company}:${who}@${company}.example`
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${url}/api/m18s/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(clientCredential).toString('base64')}`, 'x-token-store': 'body' },
      body: new URLSearchParams({ grant_type: 'password', username, password: demoPassword }),
    })
    const said = await answer.text()
    if (answer.status === 200) return (JSON.parse(said) as { access_token: string }).access_token
    if (tries === 30 || answer.status < 429) throw new Error(`no sign-in: ${answer.status} ${said}`)
    await wait(1000)
  }
}

/** Until the server has said something that does not come of its being killed or busy. */
async function surely(world: World, ask: () => Promise<Said | null>): Promise<Said> {
  for (let tries = 0; tries < 60; tries++) {
    const said = await ask()
    if (said && said.status < 500 && said.body.errorCode !== 'IDEMPOTENCY_IN_PROGRESS') return said
    await wait(20 + 20 * tries)
    await world.up()
  }
  throw new Error('the server gave no answer to go on with')
}

const pay = (world: World, { id, subject }: Paying, fields: object) =>
  call(world, 'POST', `/api/payment/${id}`, { contractType: subject, type: 'stripe', ...fields })

const visa = { token: 'pm_card_visa' }

/** A backup is of a contract that was paid before, by card; traffic is there. */
export async function order(world: World, plan: Plan, round: number, subject: Subject): Promise<Paying> {
  if (subject === 'TRAFFIC') return { subject, plan, round, id: world.traffic.pop() ?? 0, told: 'unpaid' }
  const code = `k${randomUUID().replaceAll('-', '').slice(0, 12)}`
  const contract = {
    subject: 'CONTRACT',
    plan,
    round,
    id: await contractOf(world, plan, code),
    told: 'unpaid',
  } as const
  if (subject === 'CONTRACT') return contract
  await insist(world, { ...contract, plan: 'card' })
  const services = await surely(world, () => call(world, 'GET', `/api/aws/service?searchText=${code}`))
  const [service] = (services.body as { data?: { id: number; code: string }[] }).data ?? []
  const wish = { service_id: service?.id, pdb_type: 'pdb2s3', period: 3, period_type: 'month' }
  return { ...contract, subject, id: await made(world, '/api/pdb/order', wish) }
}

/** Its number. */
async function made(world: World, path: string, wish: object): Promise<number> {
  const key = randomUUID()
  const { status, body } = await surely(world, () => call(world, 'POST', path, wish, key))
  if (status !== 200 || body.id === undefined) throw new Error(`nothing was ordered: ${status} ${JSON.stringify(body)}`)
  return body.id
}

function contractOf(world: World, plan: Plan, code: string): Promise<number> {
  const wish = {
    code,
    name: plan,
    currency: plan === 'alipay' ? 'RMB' : 'HKD',
    user_mode: 'CONCURRENT',
    users: between(world.chance, 5, 50),
    modules: ['core', 'fin'],
    period: 1,
    period_start: world.today(),
  }
  return made(world, '/api/sorder', wish)
}

/** As its plan says, through whatever happens. */
export async function follow(world: World, paying: Paying): Promise<void> {
  await ways[paying.plan](world, paying)
}

const isPaid = ({ status, body }: Said) =>
  (status === 200 && body.status === 'paid') || (status === 409 && body.data?.why === 'paidAlready')

/** Presses the button again until it is paid, with the same card: its token is what the page still holds. */
async function insist(world: World, paying: Paying, fields: object = visa): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const said = await surely(world, () => pay(world, paying, fields))
    if (isPaid(said)) {
      paying.told = 'paid'
      return
    }
    if (said.body.redirect !== undefined) await onPage(world, said.body.redirect, plansForm(paying.plan))
    else if (said.body.status !== 'processing')
      throw new Error(`order ${paying.id} (${paying.plan}) was told ${said.status} ${JSON.stringify(said.body)}`)
    await wait(50)
  }
  throw new Error(`order ${paying.id} (${paying.plan}) is not paid after 200 tries`)
}

const plansForm = (plan: Plan): Record<string, string> =>
  plan === 'bank' ? { answer: 'yes' } : plan === 'alipay' ? { answer: 'pay' } : { card: '4242424242424242' }

/** Opens the gateway's page, sends its form, and comes back or does not; the way back may meet a dead server. */
async function onPage({ chance }: World, address: string, form: Record<string, string>): Promise<void> {
  const page = await visit(address)
  const seen = page.status === 200 ? await visit(page.url, form) : page
  if (seen.status === 0 && chance() < 0.7) await fetch(seen.url, { redirect: 'manual' }).catch(() => undefined)
}

/** Without a word to the server, as somebody who closes the window in the middle. */
const once = async (world: World, paying: Paying, fields: object) => {
  const said = await pay(world, paying, fields)
  if (said && isPaid(said)) paying.told = 'paid'
  return said
}

const notYet = ['PAYMENT_UNANSWERED', 'PAYMENT_IN_PROGRESS']

/** Until it is deleted, or was paid in the meantime; a gateway that does not answer is asked again. False: it is paid. */
async function remove(world: World, { id }: Paying): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    const key = randomUUID()
    const { status, body } = await surely(world, () => call(world, 'DELETE', `/api/sorder/${id}`, null, key))
    if (status === 204) return true
    if (!notYet.includes(body.errorCode ?? '')) return false
    await wait(50)
  }
  throw new Error(`order ${id} is neither deleted nor paid after 200 tries`)
}

const ways: Record<Plan, (world: World, paying: Paying) => Promise<void>> = {
  card: (world, paying) => insist(world, paying),
  /** Into the card fields, whose token is good for one payment only. */
  async typed(world, paying) {
    const token = await createToken(world.sandbox)
    await Promise.all([once(world, paying, { token }), once(world, paying, { token })])
    await insist(world, paying, { token })
  },
  async declined(world, paying) {
    const said = await once(world, paying, { token: 'pm_card_visa_chargeDeclined' })
    if (said?.status === 200 && said.body.status === 'paid') throw new Error('a card that is declined has paid')
    await surely(world, () => pay(world, paying, { token: 'pm_card_visa_chargeDeclined' }))
    await insist(world, paying)
  },
  bank: (world, paying) => insist(world, paying, { token: 'pm_card_threeDSecureRequired' }),
  page: (world, paying) => insist(world, paying, {}),
  alipay: (world, paying) => insist(world, paying, { type: 'alipay' }),
  async twice(world, paying) {
    await Promise.all([once(world, paying, visa), once(world, paying, visa)])
    await insist(world, paying)
  },
  async tabs(world, paying) {
    const [page] = await Promise.all([once(world, paying, {}), once(world, paying, visa)])
    if (page?.body.redirect !== undefined && world.chance() < 0.5)
      await onPage(world, page.body.redirect, plansForm('page'))
    await insist(world, paying)
  },
  async left(world, paying) {
    const said = await once(world, paying, pick(world.chance, [visa, {}]))
    if (said?.body.redirect !== undefined) await onPage(world, said.body.redirect, plansForm('page'))
  },
  async deleted(world, paying) {
    const said = await once(world, paying, {})
    const [isGone] = await Promise.all([
      remove(world, paying),
      said?.body.redirect === undefined ? null : onPage(world, said.body.redirect, plansForm('page')),
    ])
    paying.told = isGone ? 'gone' : 'paid'
  },
}
