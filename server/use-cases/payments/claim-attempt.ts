/**
 * Claims an attempt of payment, or pays with credit if that covers everything. An attempt stores its own key and the part that credit pays
 * (decision 124), so that an interrupted, repeated or parallel start finds the same attempt.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { Caller } from '#domain/access.ts'
import type { Language } from '#domain/accounts/users.ts'
import { getCreditPart } from '#domain/credit.ts'
import { getLarger, getSmaller, type Hundredths, readAmount, writeAmount } from '#domain/money.ts'
import { type PaymentType, getPaymentTypeRefusal } from '#domain/payments.ts'
import { cleanText } from '#domain/text.ts'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { lockCredit } from '#server/db/payments/credit.ts'
import {
  findAttemptByIntent,
  type AttemptRecord,
  insertPaymentAttempt,
  findLatestAttempt,
  listUnsettledAttempts,
  updateAttempt,
} from '#server/db/payments/payment-attempts.ts'
import { requireItemsRef } from '#server/db/payments/payment-groups.ts'
import { type PayableItemRef, type PayableRef, toPayableRef } from '#server/db/payments/payables.ts'
import type { PaymentAttemptTable } from '#server/db/tables/order-tables.ts'
import { toPaymentKey } from '#server/drivers/payment/payment-driver.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  createFieldError,
  createForbiddenProblem,
  createNotFoundProblem,
  ProblemError,
} from '#server/problems/problem-error.ts'
import { canActFor } from '#server/use-cases/orders/acting-company.ts'
import { requireAcceptedAmount } from '#server/use-cases/payments/amount-limits.ts'
import { lockItems } from '#server/use-cases/payments/find-payable.ts'
import { type PaidStatus, toPaidStatus } from '#server/use-cases/payments/paid-status.ts'
import { type LockedPayable, type PaymentContext, toPaidColumns } from '#server/use-cases/payments/payable.ts'
import { payWithCredit } from '#server/use-cases/payments/pay-with-credit.ts'
import { addPaymentEntries } from '#server/use-cases/payments/settle-attempt.ts'

export interface StartPaymentInput {
  caller: Caller
  /** One item, or several that are paid together. */
  items: readonly PayableItemRef[]
  /** `credit`: the balance pays all. */
  type: PaymentType | 'credit'
  /** Token of a card, or null if the payer enters the payment details at the gateway. */
  token: string | null
  /** Purchase order number for the invoices. Omitted: that of the latest attempt stays. Empty: none. */
  poNumber?: string | undefined
  /** What the payer saw as paid by credit. Omitted: credit is used without this check. */
  credit?: string | undefined
  intent: string | null
  language: Language
  device: 'desktop' | 'phone'
}

export type PaymentProgress = { status: PaidStatus | 'processing' } | { redirect: string }

/**
 * Time window in ms of the limits on payment starts and status queries (S-25). A company may start three times as many payments as one of
 * its users.
 */
export const limitWindowMs = 600_000
const companyShare = 3

export type AttemptClaim =
  | { kind: 'settled'; progress: PaymentProgress }
  /** Credit has paid all. Jobs have to be notified after the commit. */
  | { kind: 'paidWithCredit' }
  | { kind: 'fresh'; attempt: AttemptRecord }
  /**
   * An existing attempt. It is continued if `isSame`. Otherwise it must end first, because another payment method was chosen, or because it
   * is not `isAboutSame`: it pays only some of the items, or also other items.
   */
  | { kind: 'existing'; attempt: AttemptRecord; isSame: boolean; isAboutSame: boolean }

export const createDeclinedError = (reason: string | null) => new ProblemError('CARD_INVALID', { reason })

/** Runs under the payable's lock, so that two tabs run one after the other. Throws what `startPayment` throws. */
export async function claimAttempt(
  db: DatabaseHandle,
  app: AppContext,
  input: StartPaymentInput,
): Promise<AttemptClaim> {
  const { caller, type, intent } = input
  const now = app.clock()
  const payable = await requireOwnPayable({ db, app, now }, input)
  const payableRef = await requireItemsRef(db, { companyId: payable.companyId, items: input.items }, now)
  const earlierAttempt =
    intent === null ? null : await findAttemptByIntent(db, { payable: payableRef, userId: caller.userId, intent })
  const earlierProgress = earlierAttempt && findProgress(earlierAttempt, payable)
  if (earlierProgress) return { kind: 'settled', progress: earlierProgress }
  const { refusal } = payable
  if (refusal) throw new ProblemError('STATE_CONFLICT', { why: refusal })
  if (type !== 'credit') await requirePaymentMethod(app, type, payable, caller)
  const tokenHash = input.token === null ? null : createHash('sha256').update(input.token).digest('base64url')
  const attempts = await listUnsettledAttempts(db, payableRef)
  const [attempt] = attempts
  const isRepeated = attempt !== undefined && attempt.id === earlierAttempt?.id
  // A repeated call continues its attempt with the part that it holds.
  const credit = isRepeated ? readAmount(attempt.credit) : await chooseCredit(db, { payable, attempts }, input)
  if (attempt) {
    const { isSame, isAboutSame } = compareAttempt(attempt, { payableRef, type, tokenHash, credit })
    return { kind: 'existing', attempt: isSame ? await keepPoNumber(db, attempt, input) : attempt, isSame, isAboutSame }
  }
  await countStartedPayments(db, app, { payable, caller, now })
  const attemptInput = { ...input, tokenHash, now, credit }
  if (credit === readAmount(payable.pay_amount)) {
    await payAllWithCredit({ db, app, now }, { payable, payableRef }, attemptInput)
    return { kind: 'paidWithCredit' }
  }
  return { kind: 'fresh', attempt: await insertAttempt(db, { payable, payableRef }, attemptInput) }
}

/** Returns the result that a repeated call gets, or null if the payment continues. Throws CARD_INVALID if the card was declined. */
function findProgress({ state, reason }: AttemptRecord, payable: LockedPayable): PaymentProgress | null {
  if (state === 'paid') return { status: toPaidStatus(payable) }
  if (state === 'processing') return { status: 'processing' }
  if (state === 'declined') throw createDeclinedError(reason)
  return null
}

function compareAttempt(
  attempt: AttemptRecord,
  {
    payableRef,
    type,
    tokenHash,
    credit,
  }: { payableRef: PayableRef; type: StartPaymentInput['type']; tokenHash: string | null; credit: Hundredths },
): { isSame: boolean; isAboutSame: boolean } {
  const { kind, id } = toPayableRef(attempt)
  const isAboutSame = kind === payableRef.kind && id === payableRef.id
  const isSameMethod = attempt.gateway === type && attempt.token_hash === tokenHash
  return { isAboutSame, isSame: isAboutSame && isSameMethod && readAmount(attempt.credit) === credit }
}

/**
 * Returns what credit pays, and locks the balance. The attempts end before another one begins, so what they hold is available. Throws
 * STATE_CONFLICT with the figures: `creditTooLow` if credit must pay all, `creditChanged` if the payer saw another part, and
 * AMOUNT_TOO_SMALL or AMOUNT_TOO_LARGE if the method does not accept the rest.
 */
async function chooseCredit(
  db: DatabaseHandle,
  { payable, attempts }: { payable: LockedPayable; attempts: readonly AttemptRecord[] },
  { type, credit: seenCredit }: StartPaymentInput,
): Promise<Hundredths> {
  const { companyId, currency } = payable
  const amount = readAmount(payable.pay_amount)
  const lockedCredit = await lockCredit(db, { companyId, currency })
  const available = getLarger(
    attempts.reduce((sum, attempt) => sum + readAmount(attempt.credit), lockedCredit.available),
    0n,
  )
  const credit =
    type === 'credit' ? getSmaller(amount, available) : getCreditPart({ amount, available }, { type, currency })
  const rest = amount - credit
  const texts = { available: writeAmount(available), credit: writeAmount(credit), rest: writeAmount(rest) }
  if (type === 'credit' && rest > 0n)
    throw new ProblemError('STATE_CONFLICT', { why: 'creditTooLow', ...texts, amount: payable.pay_amount, currency })
  if (seenCredit !== undefined && readAmount(seenCredit) !== credit)
    throw new ProblemError('STATE_CONFLICT', { why: 'creditChanged', ...texts, amount: payable.pay_amount, currency })
  if (type !== 'credit' && rest > 0n) requireAcceptedAmount(type, { currency, amount: rest })
  return credit
}

interface AttemptInput extends Omit<StartPaymentInput, 'credit'> {
  tokenHash: string | null
  credit: Hundredths
  now: number
}

/** The attempt has the result for a repeated call. */
async function payAllWithCredit(
  context: PaymentContext,
  { payable, payableRef }: { payable: LockedPayable; payableRef: PayableRef },
  input: AttemptInput,
): Promise<void> {
  const { db, now } = context
  const fields = { gateway: 'credit', token_hash: null, state: 'paid', next_look: null, end_time: now } as const
  const attempt = await insertAttempt(db, { payable, payableRef }, input, fields)
  const reference = `CR${String(attempt.id).padStart(8, '0')}`
  const paidAttempt = await updateAttempt(db, attempt.id, { gateway_id: reference })
  const entries = await payWithCredit(context, payable, {
    method: 'credit',
    reference,
    poNumber: attempt.po_number,
    user: input.caller.userId,
    paidAt: now,
  })
  await addPaymentEntries({ db, now }, paidAttempt, entries)
}

/**
 * Stores the number that the payer entered last, as long as the payment is not settled. A repeated call keeps the first (decision 121). Needs
 * the payable's lock, under which invoices are written.
 */
async function keepPoNumber(
  db: DatabaseHandle,
  attempt: AttemptRecord,
  { poNumber, intent }: StartPaymentInput,
): Promise<AttemptRecord> {
  const isRepeated = intent !== null && attempt.intent === intent
  if (poNumber === undefined || isRepeated || toPoNumber(poNumber) === attempt.po_number) return attempt
  return await updateAttempt(db, attempt.id, { po_number: toPoNumber(poNumber) })
}

/** A new attempt without a number takes that of the attempt that it replaces. */
const choosePoNumber = async (db: DatabaseHandle, payableRef: PayableRef, poNumber: string | undefined) =>
  poNumber === undefined ? ((await findLatestAttempt(db, payableRef))?.po_number ?? null) : toPoNumber(poNumber)

const toPoNumber = (text: string) => cleanText(text) || null

async function requireOwnPayable(
  context: PaymentContext,
  input: Pick<StartPaymentInput, 'caller' | 'items'>,
): Promise<LockedPayable> {
  const payable = await findOwnPayable(context, input)
  if (payable.isDeleted) throw createNotFoundProblem()
  return payable
}

/**
 * Returns the payable, even if it is deleted. Throws NOT_FOUND if the caller may not pay all items, and VALIDATION_ERROR if an item is named
 * twice or the items have several companies or currencies.
 */
export async function findOwnPayable(
  context: PaymentContext,
  { caller, items }: Pick<StartPaymentInput, 'caller' | 'items'>,
): Promise<LockedPayable> {
  const payable = await lockItems(context, items)
  const isAllowed = payable?.items.every(({ companyId }) => companyId === caller.companyId) || canActFor({ caller })
  if (!payable || !isAllowed) throw createNotFoundProblem()
  const isUniform = payable.items.every(
    ({ companyId, currency }) => companyId === payable.companyId && currency === payable.currency,
  )
  if (!isUniform) throw createFieldError('items', 'MIXED_ITEMS')
  return payable
}

async function requirePaymentMethod(
  { payments }: AppContext,
  type: PaymentType,
  { currency }: LockedPayable,
  caller: Caller,
): Promise<void> {
  const refusal = getPaymentTypeRefusal(type, currency, caller)
  if (refusal === 'staff') throw createForbiddenProblem()
  if (refusal === 'currency') throw createFieldError('type', 'OUT_OF_RANGE')
  // A payment simulation that is switched off behaves as if it did not exist (S-22).
  if (!(await payments.findDriver(type)))
    throw type === 'simulate' ? createNotFoundProblem() : new ProblemError('NOT_SUPPORT')
}

async function countStartedPayments(
  db: DatabaseHandle,
  { payments: { maxPaymentsPerUser } }: AppContext,
  { payable, caller, now }: { payable: LockedPayable; caller: Caller; now: number },
): Promise<void> {
  const limits = [
    { subject: `payments of user ${caller.userId}`, maxMails: maxPaymentsPerUser },
    { subject: `payments of company ${payable.companyId}`, maxMails: maxPaymentsPerUser * companyShare },
  ]
  for (const counterLimit of limits) {
    const waitMs = await countMail(db, { ...counterLimit, windowMs: limitWindowMs, now })
    if (waitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(waitMs / 1000))
  }
}

const insertAttempt = async (
  db: DatabaseHandle,
  { payable, payableRef }: { payable: LockedPayable; payableRef: PayableRef },
  { caller, type, intent, language, device, poNumber, tokenHash, credit, now }: AttemptInput,
  fields: Partial<Insertable<PaymentAttemptTable>> = {},
) =>
  await insertPaymentAttempt(db, {
    company_id: payable.companyId,
    ...toPaidColumns(payableRef, payable),
    user_id: caller.userId,
    intent,
    key: toPaymentKey(randomUUID()),
    gateway: type,
    token_hash: tokenHash,
    amount: writeAmount(readAmount(payable.pay_amount) - credit),
    credit: writeAmount(credit),
    currency: payable.currency,
    language,
    device,
    po_number: await choosePoNumber(db, payableRef, poNumber),
    state: 'starting',
    reason: null,
    gateway_id: null,
    url: null,
    next_look: now + 5000,
    started_at: now,
    end_time: null,
    ...fields,
  })
