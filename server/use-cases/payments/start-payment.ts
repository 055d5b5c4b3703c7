/**
 * Starts a payment. An attempt with its own key is stored before the gateway is called. So an interrupted, repeated or parallel start finds
 * the same attempt, and money is taken once (R-27, S-18, S-21, D66).
 */
import { readAmount } from '#domain/money.ts'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import {
  getAttempt,
  type AttemptRecord,
  findLatestAttempt,
  listUnsettledAttempts,
  updateAttempt,
} from '#server/db/payments/payment-attempts.ts'
import { findItemsRef } from '#server/db/payments/payment-groups.ts'
import { toPayableRef } from '#server/db/payments/payables.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { PaymentStartResult } from '#server/drivers/payment/payment-driver.ts'
import { PaymentProblem } from '#server/drivers/payment/payment-problem.ts'
import type { AppContext } from '#server/context/context.ts'
import { createNotFoundProblem, createUnavailableProblem, ProblemError } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { createAmountError } from '#server/use-cases/payments/amount-limits.ts'
import {
  type AttemptClaim,
  claimAttempt,
  createDeclinedError,
  findOwnPayable,
  limitWindowMs,
  type PaymentProgress,
  type StartPaymentInput,
} from '#server/use-cases/payments/claim-attempt.ts'
import { findPayable } from '#server/use-cases/payments/find-payable.ts'
import { type PaidStatus, readPaidStatus } from '#server/use-cases/payments/paid-status.ts'
import {
  buildDescription,
  formatPayableName,
  findPaymentPage,
  getReturnPath,
} from '#server/use-cases/payments/payment-description.ts'
import { requireDriver, endAttempt, queryAttempt, settleAttempt } from '#server/use-cases/payments/settle-attempt.ts'

/** Maximum of status queries of a user in the time window. */
const maxQueries = 200

/**
 * Throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, NOT_SUPPORT, STATE_CONFLICT with the reason (also `creditTooLow` and `creditChanged`, decision
 * 124), AMOUNT_TOO_SMALL, AMOUNT_TOO_LARGE, PAYMENT_IN_PROGRESS if an item is being paid with other items, RATE_LIMITED, CARD_INVALID with the bank's reason, and UNAVAILABLE if no money was taken and the call can be repeated.
 */
export async function startPayment(app: AppContext, input: StartPaymentInput): Promise<PaymentProgress> {
  // Each further round runs after a blocking attempt has ended. Each item may have its own.
  for (let round = 0; round < input.items.length + 2; round++) {
    const attemptClaim = await writeAsSystem(app, (db) => claimAttempt(db, app, input))
    if (attemptClaim.kind === 'settled') return attemptClaim.progress
    if (attemptClaim.kind === 'paidWithCredit') {
      notifyJobs(app)
      return { status: 'paid' }
    }
    if (attemptClaim.kind === 'fresh') return await startAtGateway(app, attemptClaim.attempt, input.token)
    const progress = await continueAttempt(app, attemptClaim, input.token)
    if (progress) return progress
  }
  return { status: 'processing' }
}

/** Returns null if the attempt has ended and the next one may begin. */
async function continueAttempt(
  app: AppContext,
  { attempt, isSame, isAboutSame }: AttemptClaim & { kind: 'existing' },
  token: string | null,
): Promise<PaymentProgress | null> {
  // It is unknown whether the gateway received the request. With the same key it takes the money only once.
  if (isSame && attempt.state === 'starting') return await startAtGateway(app, attempt, token)
  const attemptAfter = await (isSame ? queryAttempt(app, attempt) : endAttempt(app, attempt)).catch(throwUnavailable)
  // If it pays other items, its result is not that of this payment. The next round finds out which items are still unpaid.
  if (!isAboutSame) {
    // Money that was taken and had no effect is a task of the staff. Nothing more is taken before the payer knows that.
    if (attemptAfter.state === 'paid' && (await readPaidStatus(app, attemptAfter)) === 'received')
      return { status: 'received' }
    if (isSettled(attemptAfter)) return null
    throw new ProblemError('PAYMENT_IN_PROGRESS', null, 60)
  }
  if (attemptAfter.state === 'paid') return { status: await readPaidStatus(app, attemptAfter) }
  if (attemptAfter.state === 'processing' || attemptAfter.state === 'starting') return { status: 'processing' }
  if (attemptAfter.state !== 'open') return null
  if (!isSame) return { status: 'processing' }
  return attemptAfter.url === null ? await startAtGateway(app, attemptAfter, token) : { redirect: attemptAfter.url }
}

/** Each start of one attempt sends the same values, because otherwise the gateway would refuse the key. */
async function startAtGateway(app: AppContext, attempt: AttemptRecord, token: string | null): Promise<PaymentProgress> {
  const { key, amount, currency, language, device } = attempt
  const { publicUrl } = app.config
  const driver = await requireDriver(app, attempt)
  const payableRef = toPayableRef(attempt)
  const { description, page } = await writeAsSystem(app, async (db) => ({
    description: await buildDescription(db, payableRef, language),
    page: await findPaymentPage(db, attempt),
  }))
  const startResult = await driver
    .start({
      key,
      order: formatPayableName(payableRef),
      money: { amount: readAmount(amount), currency },
      description,
      returnUrl: `${publicUrl}${getReturnPath(key)}`,
      cancelUrl: `${publicUrl}${page('cancelled')}`,
      token,
      language,
      device,
    })
    .catch((error: unknown) => handleStartError(app, attempt, error))
  return startResult === null ? { status: 'processing' } : await recordStartResult(app, attempt, startResult)
}

/** Returns null if money may have been taken. The gateway is then queried until the outcome is known. Otherwise throws a problem. */
async function handleStartError(app: AppContext, attempt: AttemptRecord, error: unknown): Promise<null> {
  if (!(error instanceof PaymentProblem)) throw error
  app.log.warn(
    { event: 'payment_start_failed', err: error, attempt: attempt.id },
    'could not start a payment at the gateway',
  )
  if (error.isFinal) await updateUnsettled(app, attempt, { state: 'closed', next_look: null, end_time: app.clock() })
  const { gateway, currency, amount } = attempt
  if (error.amountFault && gateway !== 'credit')
    throw createAmountError(gateway, { currency, amount: readAmount(amount) }, error.amountFault)
  // Without a card, no money is taken before the payer has opened the gateway's page.
  if (error.isFinal || attempt.token_hash === null) throw createUnavailableProblem(error.isFinal ? 60 : 5)
  return null
}

async function recordStartResult(
  app: AppContext,
  attempt: AttemptRecord,
  startResult: PaymentStartResult,
): Promise<PaymentProgress> {
  if (startResult.kind === 'redirect') {
    const openedAttempt = await updateUnsettled(app, attempt, {
      state: 'open',
      url: getStableUrl(attempt, startResult.url),
      gateway_id: startResult.gatewayId,
    })
    if (openedAttempt.state === 'open') return { redirect: startResult.url }
    // The payer has chosen another payment method in the meantime, or the payable is already paid. The payer must not open a page that is
    // not tracked.
    await endAttempt(app, { ...openedAttempt, gateway_id: startResult.gatewayId }).catch(throwUnavailable)
    return await readProgress(app, openedAttempt)
  }
  if (startResult.kind === 'declined') {
    const { reason } = startResult
    await updateUnsettled(app, attempt, { state: 'declined', reason, next_look: null, end_time: app.clock() })
    throw createDeclinedError(reason)
  }
  const settledAttempt = await settleAttempt(app, attempt, startResult.payment)
  return await readProgress(app, settledAttempt)
}

const readProgress = async (app: AppContext, attempt: AttemptRecord): Promise<PaymentProgress> => ({
  status: attempt.state === 'paid' ? await readPaidStatus(app, attempt) : 'processing',
})

/** Returns the address that can be stored. It is null for Alipay, whose address is signed with its time and made for each request. */
const getStableUrl = ({ gateway }: AttemptRecord, url: string) => (gateway === 'stripe' ? url : null)

/** Updates an attempt that is not settled. If a faster notification has settled it, the attempt is left unchanged. */
const updateUnsettled = (app: AppContext, attempt: AttemptRecord, fields: Parameters<typeof updateAttempt>[2]) =>
  writeAsSystem(app, async (db) => {
    const { id } = attempt
    const payableRef = toPayableRef(attempt)
    await findPayable({ db, app, now: app.clock() }, payableRef)
    const isUnsettled = (await listUnsettledAttempts(db, payableRef)).some((attempt) => attempt.id === id)
    return await (isUnsettled ? updateAttempt(db, id, fields) : getAttempt(db, id))
  })

function throwUnavailable(error: unknown): never {
  if (error instanceof PaymentProblem) throw createUnavailableProblem(5)
  throw error
}

/**
 * Returns the status, and the purchase order number of the latest attempt. Queries the gateway if the latest attempt is not settled and the limit is
 * not reached. Also works for a deleted payable with an attempt (decision 62). Throws NOT_FOUND.
 */
export async function readPaymentStatus(
  app: AppContext,
  input: Pick<StartPaymentInput, 'caller' | 'items'>,
): Promise<{ status: 'none' | 'open' | 'processing' | PaidStatus | 'declined'; po_number?: string }> {
  const now = app.clock()
  const { isPaid, latestAttempt, canQuery } = await writeAsSystem(app, async (db) => {
    const { companyId, isPaid, isDeleted } = await findOwnPayable({ db, app, now }, input)
    const limit = { subject: `payment looks of ${input.caller.userId}`, maxMails: maxQueries, windowMs: limitWindowMs }
    const payableRef = await findItemsRef(db, { companyId, items: input.items })
    const foundAttempt = payableRef && (await findLatestAttempt(db, payableRef))
    if (isDeleted && !foundAttempt) throw createNotFoundProblem()
    return {
      isPaid,
      latestAttempt: foundAttempt,
      canQuery: foundAttempt !== null && (await countMail(db, { ...limit, now })) === null,
    }
  })
  if (isPaid) return { status: 'paid' }
  if (!latestAttempt) return { status: 'none' }
  const attempt =
    isSettled(latestAttempt) || !canQuery
      ? latestAttempt
      : await queryAttempt(app, latestAttempt).catch((error: unknown) => keepAttemptOnError(error, latestAttempt))
  const status = attempt.state === 'paid' ? await readPaidStatus(app, attempt) : statusByState[attempt.state]
  return { status, ...(attempt.po_number === null ? {} : { po_number: attempt.po_number }) }
}

const isSettled = ({ state }: AttemptRecord) => state === 'declined' || state === 'closed' || state === 'paid'

function keepAttemptOnError(error: unknown, attempt: AttemptRecord): AttemptRecord {
  if (error instanceof PaymentProblem) return attempt
  throw error
}

const statusByState = {
  starting: 'processing',
  processing: 'processing',
  open: 'open',
  declined: 'declined',
  closed: 'none',
} as const
