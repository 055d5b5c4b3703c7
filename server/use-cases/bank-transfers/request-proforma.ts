/** Issues pro-forma invoices for payments by bank transfer (decision 124). */
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '#domain/access.ts'
import { getCreditPart } from '#domain/credit.ts'
import { type Currency, getLarger, readAmount, writeAmount } from '#domain/money.ts'
import { toTimestamp } from '#domain/time.ts'
import type { BankAccount, requestProforma as endpoint } from '#contract/invoices.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { type CompanyRecord, findCompanyById } from '#server/db/accounts/companies.ts'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { takeNextNumber } from '#server/db/orders/contracts.ts'
import { lockCredit } from '#server/db/payments/credit.ts'
import type { PayableItemRef, PayableRef } from '#server/db/payments/payables.ts'
import { listUnsettledAttempts } from '#server/db/payments/payment-attempts.ts'
import { requireItemsRef } from '#server/db/payments/payment-groups.ts'
import { readSeller } from '#server/db/payments/payments.ts'
import { findLatestProforma, insertProforma, type ProformaRecord } from '#server/db/payments/proformas.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'
import type { FrozenProforma, InvoiceParty } from '#server/use-cases/documents/frozen-content.ts'
import { describeItem } from '#server/use-cases/documents/proforma-items.ts'
import { findOwnPayable } from '#server/use-cases/payments/claim-attempt.ts'
import { toPublicFields } from '#server/use-cases/payments/invoices.ts'
import { type LockedPayable, toPaidColumns } from '#server/use-cases/payments/payable.ts'

export interface ProformaInput {
  caller: Caller
  items: readonly PayableItemRef[]
  requestId: string
}

/** Time window in ms of the limit on new pro-formas. A company may have three times as many as one of its users (S-25). */
const limitWindowMs = 600_000
const companyShare = 3

type ProformaTerms = Omit<FrozenProforma, 'proforma_no' | 'issued'>

/**
 * Returns the latest pro-forma of exactly these items if nothing in it has changed, otherwise a new one. Throws NOT_FOUND, VALIDATION_ERROR,
 * STATE_CONFLICT with the reason (`creditCovers` if credit pays all), NOT_SUPPORT without a bank account of the currency, and RATE_LIMITED.
 */
export const requestProforma = (app: AppContext, input: ProformaInput): Promise<OutputOf<typeof endpoint>> =>
  writeAsSystem(app, async (db) => {
    const { caller, items } = input
    const now = app.clock()
    const payable = await findOwnPayable({ db, app, now }, { caller, items })
    if (payable.isDeleted) throw createNotFoundProblem()
    if (payable.refusal) throw new ProblemError('STATE_CONFLICT', { why: payable.refusal })
    const account = requireAccount(app, payable.currency)
    const { companyId } = payable
    const payableRef = await requireItemsRef(db, { companyId, items }, now)
    const terms = await buildTerms(db, app, { payable, payableRef, account })
    const latest = await findLatestProforma(db, payableRef)
    if (latest && hasSameTerms(latest, terms)) return toOutput(latest)
    await countProformas(db, app, { payable, caller, now })
    const content = await numberContent(db, app, { terms, now })
    const proforma = await insertProforma(db, {
      company_id: companyId,
      ...toPaidColumns(payableRef, payable),
      code: content.proforma_no,
      currency: terms.currency,
      amount: terms.amount,
      credit: terms.credit,
      content: JSON.stringify(content),
      user_id: caller.userId,
      create_time: now,
    })
    await addEntry(db, { content, companyId, now }, input)
    return toOutput(proforma)
  })

function requireAccount({ payments }: AppContext, currency: Currency): BankAccount {
  const account = payments.bankAccounts.find((bankAccount) => bankAccount.currency === currency)
  if (!account) throw new ProblemError('NOT_SUPPORT')
  return account
}

/** Throws STATE_CONFLICT (`creditCovers`) if nothing is left to transfer. */
async function buildTerms(
  db: DatabaseHandle,
  { config }: AppContext,
  { payable, payableRef, account }: { payable: LockedPayable; payableRef: PayableRef; account: BankAccount },
): Promise<ProformaTerms> {
  const { companyId, currency, due } = payable
  const amount = readAmount(payable.pay_amount)
  // What a payment holds that was started for these items is for them too.
  const attempts = await listUnsettledAttempts(db, payableRef)
  const heldCredit = attempts.reduce((sum, { credit }) => sum + readAmount(credit), 0n)
  const { available } = await lockCredit(db, { companyId, currency })
  const part = getCreditPart({ amount, available: getLarger(available + heldCredit, 0n) }, { type: null, currency })
  if (part >= amount) throw new ProblemError('STATE_CONFLICT', { why: 'creditCovers' })
  const buyer: CompanyRecord | null = await findCompanyById(db, companyId)
  const items: ProformaTerms['items'] = []
  for (const { itemRef } of payable.items) items.push(await describeItem(db, companyId, itemRef))
  return {
    time_zone: config.timeZone,
    seller: (await readSeller(db)) as unknown as InvoiceParty,
    buyer: buyer && toPublicFields(buyer),
    items,
    currency,
    amount: writeAmount(amount),
    credit: writeAmount(part),
    transfer: writeAmount(amount - part),
    due,
    account,
  }
}

function hasSameTerms({ content }: ProformaRecord, terms: ProformaTerms): boolean {
  const { proforma_no: _number, issued: _issued, ...latestTerms } = content as FrozenProforma
  return isDeepStrictEqual(latestTerms, JSON.parse(JSON.stringify(terms)))
}

async function numberContent(
  db: DatabaseHandle,
  { config }: AppContext,
  { terms, now }: { terms: ProformaTerms; now: number },
): Promise<FrozenProforma> {
  const issued = toTimestamp(config.timeZone, now)
  const year = issued.slice(0, 4)
  const number = String(await takeNextNumber(db, 'proforma', year)).padStart(6, '0')
  return { proforma_no: `PF${year}${issued.slice(5, 7)}${number}`, issued, ...terms }
}

async function countProformas(
  db: DatabaseHandle,
  { payments: { maxPaymentsPerUser } }: AppContext,
  { payable, caller, now }: { payable: LockedPayable; caller: Caller; now: number },
): Promise<void> {
  const limits = [
    { subject: `proformas of user ${caller.userId}`, maxMails: maxPaymentsPerUser },
    { subject: `proformas of company ${payable.companyId}`, maxMails: maxPaymentsPerUser * companyShare },
  ]
  for (const limit of limits) {
    const waitMs = await countMail(db, { ...limit, windowMs: limitWindowMs, now })
    if (waitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(waitMs / 1000))
  }
}

async function addEntry(
  db: DatabaseHandle,
  { content, companyId, now }: { content: FrozenProforma; companyId: number; now: number },
  { caller, requestId }: ProformaInput,
): Promise<void> {
  const { proforma_no: ProformaNo, currency, transfer, items } = content
  const codes = new Set(items.map(({ service }) => service.code))
  const header = {
    companyId: caller.companyId,
    userId: caller.userId,
    now,
    status: 0 as const,
    intent: null,
    requestId,
  }
  await addAuditEntries(db, header, [
    {
      code: 'order',
      operation: 'create',
      info: { ServiceCode: [...codes].toSorted().join(', '), ProformaNo, Amount: `${currency} ${transfer}` },
      ...(companyId === caller.companyId ? {} : { company: { id: companyId, actor: caller.companyCode } }),
    },
  ])
}

function toOutput({ id, code, content }: ProformaRecord): OutputOf<typeof endpoint> {
  const { currency, amount, credit, transfer, due, account } = content as FrozenProforma
  return { id, code, currency, amount, credit, transfer, due, account }
}
