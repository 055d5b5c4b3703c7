/** Records that a part of a credit balance was sent back by bank transfer, which the staff have made (decision 124). */
import { PROVIDER } from '#domain/access.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { isDay } from '#domain/plain-dates.ts'
import { toTimestamp } from '#domain/time.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { withdrawCredit as endpoint } from '#contract/staff/bank-transfers.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { addCreditEntry, findWithdrawal, lockCredit } from '#server/db/payments/credit.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { createFieldError, ProblemError, requireRow } from '#server/problems/problem-error.ts'

type WithdrawalInput = ParsedInputOf<typeof endpoint>['body']

/**
 * Throws NOT_FOUND, VALIDATION_ERROR for a wrong confirmation, amount, day or reference, and STATE_CONFLICT with the current figures:
 * `changed` if the balance is not the one that the staff saw, and `creditTooLow` if payments that are not settled need it.
 */
export const withdrawCredit: UseCase<typeof endpoint> = (context, { body }) =>
  runAsSystem(context.db, async () => {
    const { db, caller, now } = context
    const { company_id: companyId, currency } = body
    const company = requireRow(await findCompanyById(db, companyId))
    checkFields(context, company.code, body)
    const credit = await lockCredit(db, { companyId, currency })
    const amount = readAmount(body.amount)
    const figures = { balance: writeAmount(credit.balance), available: writeAmount(credit.available), currency }
    // A repeated press after an unknown outcome would otherwise be a second withdrawal.
    if (readAmount(body.balance_before) !== credit.balance)
      throw new ProblemError('STATE_CONFLICT', { why: 'changed', ...figures })
    if (amount > credit.available) throw new ProblemError('STATE_CONFLICT', { why: 'creditTooLow', ...figures })
    const reference = body.reference.trim()
    if (await findWithdrawal(db, { companyId, reference })) throw createFieldError('reference', 'DUPLICATE')
    const balance = await addCreditEntry(
      db,
      { companyId, currency },
      {
        amount: -amount,
        now,
        cause: 'withdrawal',
        reference,
        transfer_date: body.date,
        reason: body.reason.trim(),
        user_id: caller.userId,
      },
    )
    await context.audit({
      code: 'order',
      operation: 'refund',
      info: {
        Amount: `${currency} ${writeAmount(amount)}`,
        Gateway: 'transfer',
        Reference: reference,
        RefundReason: body.reason.trim(),
        Outcome: 'withdrawn',
      },
      ...(company.code === PROVIDER ? {} : { company: { id: companyId, actor: PROVIDER } }),
    })
    return {
      body: {
        company_id: companyId,
        company_code: company.code,
        company_name: company.name,
        currency,
        balance: writeAmount(balance),
        held: writeAmount(credit.balance - credit.available),
      },
    }
  })

function checkFields({ app, now }: UseCaseContext, companyCode: string, body: WithdrawalInput): void {
  if (body.confirmation.trim().toLowerCase() !== companyCode.toLowerCase())
    throw createFieldError('confirmation', 'NOT_CONFIRMED', companyCode)
  if (readAmount(body.amount) <= 0n) throw createFieldError('amount', 'OUT_OF_RANGE')
  if (body.reason.trim() === '') throw createFieldError('reason', 'REQUIRED')
  if (body.reference.trim() === '') throw createFieldError('reference', 'REQUIRED')
  if (!isDay(body.date)) throw createFieldError('date', 'INVALID_FORMAT')
  if (body.date > toTimestamp(app.config.timeZone, now).slice(0, 10)) throw createFieldError('date', 'OUT_OF_RANGE')
}
