/**
 * Paying: what is begun is written down under its own key before the gateway is asked, so that whatever is cut off, sent
 * twice or clicked in two tabs is found again and takes money once (R-27, S-18, S-21, D66).
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Caller } from '#domain/access.ts'
import { readAmount } from '#domain/money.ts'
import { type PaymentType, whyNotPaidBy } from '#domain/payments.ts'
import type { Language } from '#domain/accounts/users.ts'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import type { Handle } from '#server/db/handle.ts'
import {
  attemptById,
  attemptByIntent,
  type AttemptRecord,
  insertPaymentAttempt,
  newestAttempt,
  unsettledAttempts,
  updateAttempt,
} from '#server/db/payments/payment-attempts.ts'
import { columnsFor, type PayableRef, refOf } from '#server/db/payments/payables.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { type Begun, keyOf } from '#server/drivers/payment/driver.ts'
import { PaymentProblem } from '#server/drivers/payment/errors.ts'
import type { AppContext } from '#server/context/context.ts'
import { forbidden, invalid, notFound, ProblemError, unavailable } from '#server/problems/problem-error.ts'
import { mayActFor } from '#server/use-cases/orders/acting-company.ts'
import { notTaken, requireTaken } from '#server/use-cases/payments/amount-limits.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { type PaidStatus, readPaidStatus, toPaidStatus } from '#server/use-cases/payments/paid-status.ts'
import type { Payable, PaymentWork } from '#server/use-cases/payments/payable.ts'
import { descriptionOf, nameOf, pageOf, returnPath } from '#server/use-cases/payments/payment-description.ts'
import { driverOf, end, look, settle } from '#server/use-cases/payments/settle-attempt.ts'

export interface Asking {
  caller: Caller
  of: PayableRef
  type: PaymentType
  /** Of a card; null: the gateway asks for it. */
  token: string | null
  /** Of the keyed call; null: it had none. */
  intent: string | null
  language: Language
  device: 'desktop' | 'phone'
}

export type PaymentProgress = { status: PaidStatus | 'processing' } | { redirect: string }

const system = { role: 'portal_system' } as const

/** S-25: of beginnings and of askings how they stand. A company may begin three times as many as one user of it. */
const budgetMs = 600_000
const companyShare = 3
const maxLooks = 200

type Found =
  | { kind: 'told'; told: PaymentProgress }
  | { kind: 'fresh'; attempt: AttemptRecord }
  /** Begun before. It is gone on with, or another way of paying was chosen and it must end first. */
  | { kind: 'stands'; attempt: AttemptRecord; isSame: boolean }

/**
 * Throws NOT_FOUND, FORBIDDEN, NOT_SUPPORT, STATE_CONFLICT with why, RATE_LIMITED, CARD_INVALID with the bank's reason, and
 * UNAVAILABLE where nothing was taken and it can simply be tried again.
 */
export async function pay(app: AppContext, asking: Asking): Promise<PaymentProgress> {
  // Each further round follows the end of what stood in the way.
  for (let round = 0; round < 3; round++) {
    const found = await inTransaction(app, system, (db) => claim(db, app, asking))
    if (found.kind === 'told') return found.told
    if (found.kind === 'fresh') return await begin(app, found.attempt, asking.token)
    const told = await goOn(app, found, asking.token)
    if (told) return told
  }
  return { status: 'processing' }
}

/** Under the lock of what is paid, so that two tabs take turns. */
async function claim(db: Handle, app: AppContext, asking: Asking): Promise<Found> {
  const { caller, of, type, intent } = asking
  const now = app.clock()
  const payable = await ownPayable({ db, app, now }, asking)
  const known = intent === null ? null : await attemptByIntent(db, { of, userId: caller.userId, intent })
  if (known?.state === 'paid') return { kind: 'told', told: { status: toPaidStatus(payable) } }
  if (known?.state === 'processing') return { kind: 'told', told: { status: 'processing' } }
  if (known?.state === 'declined') throw declined(known.reason)
  const { why } = payable
  if (why) throw new ProblemError('STATE_CONFLICT', { why })
  await requireWay(app, type, payable, caller)
  requireTaken(type, { currency: payable.currency, amount: readAmount(payable.pay_amount) })
  const tokenHash = asking.token === null ? null : createHash('sha256').update(asking.token).digest('base64url')
  const [attempt] = await unsettledAttempts(db, of)
  if (attempt) return { kind: 'stands', attempt, isSame: attempt.gateway === type && attempt.token_hash === tokenHash }
  await countBegun(db, app, { payable, caller, now })
  return { kind: 'fresh', attempt: await writeBegun(db, payable, { ...asking, tokenHash, now }) }
}

async function ownPayable(till: PaymentWork, asking: Pick<Asking, 'caller' | 'of'>): Promise<Payable> {
  const payable = await findOwn(till, asking)
  if (payable.isDeleted) throw notFound()
  return payable
}

/** Also finds what is deleted. */
async function findOwn(till: PaymentWork, { caller, of }: Pick<Asking, 'caller' | 'of'>): Promise<Payable> {
  const payable = await findPayable(till, of)
  const isTheirs = payable?.companyId === caller.companyId || mayActFor({ caller })
  if (!payable || !isTheirs) throw notFound()
  return payable
}

async function requireWay(
  { payments }: AppContext,
  type: PaymentType,
  { currency }: Payable,
  caller: Caller,
): Promise<void> {
  const why = whyNotPaidBy(type, currency, caller)
  if (why === 'staff') throw forbidden()
  if (why === 'currency') throw invalid([{ field: 'type', code: 'OUT_OF_RANGE' }])
  // S-22: switched off, it is as if it were not there.
  if (!(await payments.driver(type))) throw type === 'simulate' ? notFound() : new ProblemError('NOT_SUPPORT')
}

async function countBegun(
  db: Handle,
  { payments: { perUser } }: AppContext,
  { payable, caller, now }: { payable: Payable; caller: Caller; now: number },
): Promise<void> {
  const counted = [
    { subject: `payments of user ${caller.userId}`, most: perUser },
    { subject: `payments of company ${payable.companyId}`, most: perUser * companyShare },
  ]
  for (const one of counted) {
    const waitMs = await countMail(db, { ...one, spanMs: budgetMs, now })
    if (waitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(waitMs / 1000))
  }
}

const writeBegun = (
  db: Handle,
  { of, companyId, pay_amount, currency }: Payable,
  { caller, type, intent, language, device, tokenHash, now }: Asking & { tokenHash: string | null; now: number },
) =>
  insertPaymentAttempt(db, {
    company_id: companyId,
    ...columnsFor(of),
    user_id: caller.userId,
    intent,
    key: keyOf(randomUUID()),
    gateway: type,
    token_hash: tokenHash,
    amount: pay_amount,
    currency,
    language,
    device,
    state: 'begun',
    reason: null,
    gateway_id: null,
    url: null,
    next_look: now + 5000,
    begun_at: now,
    end_time: null,
  })

/** Null: it has ended, and the next one may begin. */
async function goOn(
  app: AppContext,
  { attempt, isSame }: Found & { kind: 'stands' },
  token: string | null,
): Promise<PaymentProgress | null> {
  // Nobody knows whether the gateway has heard of it: with the same key it takes nothing more.
  if (isSame && attempt.state === 'begun') return await begin(app, attempt, token)
  const after = await (isSame ? look(app, attempt) : end(app, attempt)).catch(unanswered)
  if (after.state === 'paid') return { status: await readPaidStatus(app, after) }
  if (after.state === 'processing' || after.state === 'begun') return { status: 'processing' }
  if (after.state !== 'open') return null
  if (!isSame) return { status: 'processing' }
  return after.url === null ? await begin(app, after, token) : { redirect: after.url }
}

/** What the gateway is told is the same at every beginning of one attempt, or it would refuse the key. */
async function begin(app: AppContext, attempt: AttemptRecord, token: string | null): Promise<PaymentProgress> {
  const { key, amount, currency, language, device } = attempt
  const { publicUrl } = app.config
  const driver = await driverOf(app, attempt)
  const of = refOf(attempt)
  const { description, page } = await inTransaction(app, system, async (db) => ({
    description: await descriptionOf(db, of, language),
    page: await pageOf(db, of),
  }))
  const begun = await driver
    .begin({
      key,
      order: nameOf(of),
      money: { amount: readAmount(amount), currency },
      description,
      returnUrl: `${publicUrl}${returnPath(key)}`,
      cancelUrl: `${publicUrl}${page('cancelled')}`,
      token,
      language,
      device,
    })
    .catch((error: unknown) => cutOff(app, attempt, error))
  return begun === null ? { status: 'processing' } : await written(app, attempt, begun)
}

/** Null: money may have been taken, and the gateway is asked until it says so or not. */
async function cutOff(app: AppContext, attempt: AttemptRecord, error: unknown): Promise<null> {
  if (!(error instanceof PaymentProblem)) throw error
  app.log.warn({ err: error, attempt: attempt.id }, 'a payment could not be begun')
  if (error.final) await change(app, attempt, { state: 'closed', next_look: null, end_time: app.clock() })
  const { gateway, currency, amount } = attempt
  if (error.amountFault) throw notTaken(gateway, { currency, amount: readAmount(amount) }, error.amountFault)
  // Without a card nothing is taken before the payer has seen the gateway's page.
  if (error.final || attempt.token_hash === null) throw unavailable(error.final ? 60 : 5)
  return null
}

async function written(app: AppContext, attempt: AttemptRecord, begun: Begun): Promise<PaymentProgress> {
  if (begun.kind === 'redirect') {
    const after = await change(app, attempt, {
      state: 'open',
      url: stableUrl(attempt, begun.url),
      gateway_id: begun.gatewayId,
    })
    if (after.state === 'open') return { redirect: begun.url }
    // Another way was chosen meanwhile, or it is paid: nobody is sent to a page that nobody looks after.
    await end(app, { ...after, gateway_id: begun.gatewayId }).catch(unanswered)
    return await progressAfter(app, after)
  }
  if (begun.kind === 'declined') {
    const { reason } = begun
    await change(app, attempt, { state: 'declined', reason, next_look: null, end_time: app.clock() })
    throw declined(reason)
  }
  const after = await settle(app, attempt, begun.payment)
  return await progressAfter(app, after)
}

const progressAfter = async (app: AppContext, after: AttemptRecord): Promise<PaymentProgress> => ({
  status: after.state === 'paid' ? await readPaidStatus(app, after) : 'processing',
})

/** Alipay's is signed with its time and made anew; the page of a card stays where it is. */
const stableUrl = ({ gateway }: AttemptRecord, url: string) => (gateway === 'stripe' ? url : null)

/** What was settled meanwhile, by a notice that was quicker, stays so. */
const change = (app: AppContext, attempt: AttemptRecord, fields: Parameters<typeof updateAttempt>[2]) =>
  inTransaction(app, system, async (db) => {
    const { id } = attempt
    const of = refOf(attempt)
    await findPayable({ db, app, now: app.clock() }, of)
    const isUnsettled = (await unsettledAttempts(db, of)).some((one) => one.id === id)
    return await (isUnsettled ? updateAttempt(db, id, fields) : attemptById(db, id))
  })

const declined = (reason: string | null) => new ProblemError('CARD_INVALID', { reason })

function unanswered(error: unknown): never {
  if (error instanceof PaymentProblem) throw unavailable(5)
  throw error
}

/**
 * How a payment stands: what was written down, and what the gateway says where it is not settled yet. Whoever paid what was deleted
 * meanwhile is told too (decision 62). Throws NOT_FOUND.
 */
export async function check(
  app: AppContext,
  asking: Pick<Asking, 'caller' | 'of'>,
): Promise<{ status: 'none' | 'open' | 'processing' | PaidStatus | 'declined' }> {
  const now = app.clock()
  const { isPaid, newest, mayLook } = await inTransaction(app, system, async (db) => {
    const { of, isPaid, isDeleted } = await findOwn({ db, app, now }, asking)
    const counted = { subject: `payment looks of ${asking.caller.userId}`, most: maxLooks, spanMs: budgetMs }
    const newest = await newestAttempt(db, of)
    if (isDeleted && !newest) throw notFound()
    return { isPaid, newest, mayLook: newest !== null && (await countMail(db, { ...counted, now })) === null }
  })
  if (isPaid) return { status: 'paid' }
  if (!newest) return { status: 'none' }
  const isSettled = newest.state === 'declined' || newest.state === 'closed' || newest.state === 'paid'
  const attempt =
    isSettled || !mayLook ? newest : await look(app, newest).catch((error: unknown) => unclear(error, newest))
  return { status: attempt.state === 'paid' ? await readPaidStatus(app, attempt) : statusFor[attempt.state] }
}

function unclear(error: unknown, before: AttemptRecord): AttemptRecord {
  if (error instanceof PaymentProblem) return before
  throw error
}

const statusFor = {
  begun: 'processing',
  processing: 'processing',
  open: 'open',
  declined: 'declined',
  closed: 'none',
} as const
