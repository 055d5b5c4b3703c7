/** Lists, records and closes received bank transfers, and takes back what was credited to the wrong company (decision 124). */
import { type Currency, readAmount, writeAmount } from '#domain/money.ts'
import { isDay } from '#domain/plain-dates.ts'
import { cleanText } from '#domain/text.ts'
import { toPlainDate } from '#domain/time.ts'
import type {
  closeBankTransfer as closeEndpoint,
  correctBankTransfer as correctEndpoint,
  listBankTransfers as listEndpoint,
  listPayableItems as payableEndpoint,
  recordBankTransfer as recordEndpoint,
} from '#contract/staff/bank-transfers.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import {
  hasTransfer,
  insertTransfer,
  listOpenTransfers,
  listSettledTransfers,
  lockNewTransfers,
  type TransferRecord,
  updateTransfer,
} from '#server/db/payments/bank-transfers.ts'
import { addCreditEntry, lockCredit } from '#server/db/payments/credit.ts'
import { listCompanyCredit } from '#server/db/payments/unpaid-items.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { createFieldError, ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { readUnpaidItems } from '#server/use-cases/bank-transfers/read-proposals.ts'
import { formatIdentity } from '#server/use-cases/bank-transfers/transfer-identity.ts'
import {
  buildTransferEntry,
  readTransferRow,
  requireTransfer,
  toTransferRows,
} from '#server/use-cases/bank-transfers/transfer-rows.ts'

const maxSettled = 200
/** Transfers before this day are typing errors: the portal is younger. */
const firstDay = '2000-01-01'

/** Throws VALIDATION_ERROR if the day does not exist, is before `from`, or is in the future. */
function requirePastDay({ app, now }: UseCaseContext, field: string, day: string, from: string): void {
  if (!isDay(day)) throw createFieldError(field, 'INVALID_FORMAT')
  if (day < from || day > toPlainDate(app.config.timeZone, now)) throw createFieldError(field, 'OUT_OF_RANGE')
}

export const listBankTransfers: UseCase<typeof listEndpoint> = (context) =>
  runAsSystem(context.db, async () => {
    const open = await toTransferRows(context, await listOpenTransfers(context.db))
    return {
      body: { open, settled: await toTransferRows(context, await listSettledTransfers(context.db, maxSettled)) },
    }
  })

/** Throws VALIDATION_ERROR: DUPLICATE on `bank_reference` if the transfer was recorded or imported before. */
export const recordBankTransfer: UseCase<typeof recordEndpoint> = (context, { body }) =>
  runAsSystem(context.db, async () => {
    const { db, caller, now } = context
    const { day, currency } = body
    const amount = writeAmount(readAmount(body.amount))
    const [sender, reference, bankReference] = [body.sender, body.reference, body.bank_reference].map(cleanText)
    requirePastDay(context, 'day', day, firstDay)
    if (readAmount(amount) <= 0n) throw createFieldError('amount', 'OUT_OF_RANGE')
    if (!sender) throw createFieldError('sender', 'REQUIRED')
    if (!bankReference) throw createFieldError('bank_reference', 'REQUIRED')
    const fields = {
      account: '',
      day,
      currency,
      amount,
      sender,
      reference: reference ?? '',
      bank_reference: bankReference,
    }
    await lockNewTransfers(db)
    if (await hasTransfer(db, fields)) throw createFieldError('bank_reference', 'DUPLICATE', bankReference)
    const id = await insertTransfer(db, {
      ...fields,
      identity: formatIdentity(fields, 1),
      source: 'staff',
      state: 'open',
      user_id: caller.userId,
      create_time: now,
      update_time: now,
    })
    await context.audit(buildTransferEntry({ ...fields, id, note: null }, 'recorded'))
    return { body: await readTransferRow(context, id) }
  })

/** Throws VERSION_CONFLICT, STATE_CONFLICT with the state, and VALIDATION_ERROR for a missing or wrong field. */
export const closeBankTransfer: UseCase<typeof closeEndpoint> = (context, { params: { id }, body }) =>
  runAsSystem(context.db, async () => {
    const { db, caller, now } = context
    const { state, row_version: version } = body
    const transfer = await requireTransfer(context, id, { version, state: 'open' })
    const note = requireNote(body.note)
    const returnFields = state === 'returned' ? readReturn(context, transfer, body) : {}
    await updateTransfer(db, id, { state, note, ...returnFields, user_id: caller.userId, update_time: now })
    await context.audit(buildTransferEntry({ ...transfer, note }, state))
    return { body: await readTransferRow(context, id) }
  })

function requireNote(text: string): string {
  const note = cleanText(text)
  if (note === '') throw createFieldError('note', 'REQUIRED')
  return note
}

/** It can be returned only after it arrived. */
function readReturn(
  context: UseCaseContext,
  { day }: TransferRecord,
  { return_reference, return_date }: { return_reference?: string | undefined; return_date?: string | undefined },
) {
  const reference = cleanText(return_reference ?? '')
  if (reference === '') throw createFieldError('return_reference', 'REQUIRED')
  if (return_date === undefined) throw createFieldError('return_date', 'REQUIRED')
  requirePastDay(context, 'return_date', return_date, day)
  return { return_reference: reference, return_date }
}

/**
 * Returns the new open row. Throws VERSION_CONFLICT, STATE_CONFLICT with the state, or `creditTooLow` with `available` and `amount` if the
 * money was used.
 */
export const correctBankTransfer: UseCase<typeof correctEndpoint> = (context, { params: { id }, body }) =>
  runAsSystem(context.db, async () => {
    const { db, caller, now } = context
    const transfer = await requireTransfer(context, id, { version: body.row_version, state: 'credited' })
    const note = requireNote(body.note)
    const { company_id: companyId, currency } = transfer
    if (companyId === null) throw new Error('a credited transfer has no company')
    await requireCredit(context, { companyId, currency }, transfer.amount)
    await addCreditEntry(
      db,
      { companyId, currency },
      {
        amount: -readAmount(transfer.amount),
        now,
        cause: 'correction',
        transfer_id: id,
        user_id: caller.userId,
      },
    )
    await updateTransfer(db, id, { state: 'corrected', note, user_id: caller.userId, update_time: now })
    // The company sees its own log. The note is about somebody else's money, so only the provider's log has it.
    await context.audit(buildTransferEntry({ ...transfer, note: null }, 'corrected', companyId))
    await context.audit(buildTransferEntry({ ...transfer, note }, 'corrected'))
    const { identity, source, account, day, amount, sender, reference, bank_reference } = transfer
    const newId = await insertTransfer(db, {
      identity,
      source,
      account,
      day,
      currency,
      amount,
      sender,
      reference,
      bank_reference,
      state: 'open',
      user_id: caller.userId,
      create_time: now,
      update_time: now,
    })
    return { body: await readTransferRow(context, newId) }
  })

async function requireCredit(
  { db }: UseCaseContext,
  { companyId, currency }: { companyId: number; currency: Currency },
  amount: string,
): Promise<void> {
  const { available } = await lockCredit(db, { companyId, currency })
  if (available >= readAmount(amount)) return
  const figures = { available: writeAmount(available < 0n ? 0n : available), amount, currency }
  throw new ProblemError('STATE_CONFLICT', { why: 'creditTooLow', ...figures })
}

export const listPayableItems: UseCase<typeof payableEndpoint> = (context, { params: { id } }) =>
  runAsSystem(context.db, async () => {
    requireRow(await findCompanyById(context.db, id))
    const items = await readUnpaidItems(context, id)
    const credit = await listCompanyCredit(context.db, id)
    return {
      body: {
        items: items.map(({ company_id: _company, ...item }) => item),
        credit: credit.map(({ currency, balance, available }) => ({ currency, balance, available })),
      },
    }
  })
