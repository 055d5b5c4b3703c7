/** Adds a received transfer to the balance of a company, and pays items with the balance, all in one transaction (decision 124). */
import { PROVIDER } from '#domain/access.ts'
import { readAmount } from '#domain/money.ts'
import type { creditBankTransfer as endpoint } from '#contract/staff/bank-transfers.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { listOrderingUsers } from '#server/db/orders/reminders.ts'
import { type TransferRecord, updateTransfer } from '#server/db/payments/bank-transfers.ts'
import { addCreditEntry, lockCredit } from '#server/db/payments/credit.ts'
import { findLatestAttempt } from '#server/db/payments/payment-attempts.ts'
import { findItemsRef } from '#server/db/payments/payment-groups.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { writeAmount } from '#domain/money.ts'
import type { UseCase, UseCaseContext } from '#server/context/context.ts'
import { createFieldError, createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'
import {
  buildTransferEntry,
  getPaymentReference,
  readTransferRow,
  requireTransfer,
} from '#server/use-cases/bank-transfers/transfer-rows.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { lockItems } from '#server/use-cases/payments/find-payable.ts'
import { payWithCredit } from '#server/use-cases/payments/pay-with-credit.ts'
import type { LockedPayable } from '#server/use-cases/payments/payable.ts'
import { kindsByContractType } from '#server/use-cases/payments/payment-description.ts'

type CreditInput = ParsedInputOf<typeof endpoint>['body']

/**
 * Throws NOT_FOUND, VERSION_CONFLICT, VALIDATION_ERROR if the company is the provider or an item does not belong to it, and STATE_CONFLICT
 * with the reason: the state of the transfer, why an item cannot be paid, or `creditTooLow`.
 */
export const creditBankTransfer: UseCase<typeof endpoint> = (context, { params: { id }, body }) =>
  runAsSystem(context.db, async () => {
    const { db, app, caller, now } = context
    const transfer = await requireTransfer(context, id, { version: body.row_version, state: 'open' })
    const company = requireRow(await findCompanyById(db, body.company_id))
    if (company.code === PROVIDER) throw createFieldError('company_id', 'LOCKED')
    const payable = await lockPayable(context, transfer, body)
    const { currency } = transfer
    const creditRef = { companyId: company.id, currency }
    await lockCredit(db, creditRef)
    const source = { cause: 'transfer' as const, transfer_id: id, user_id: caller.userId }
    await addCreditEntry(db, creditRef, { amount: readAmount(transfer.amount), now, ...source })
    await updateTransfer(db, id, {
      state: 'credited',
      company_id: company.id,
      user_id: caller.userId,
      update_time: now,
    })
    await context.audit(buildTransferEntry(transfer, 'credited', company.id))
    if (payable) await payItems(context, transfer, payable)
    const { balance } = await lockCredit(db, creditRef)
    const mail = payable ? 'transfer-paid' : 'transfer-credited'
    for (const userId of await listOrderingUsers(db, company.id))
      await requestMail(
        db,
        { companyId: company.id, now },
        { mail, userId, transferId: id, balance: writeAmount(balance) },
      )
    context.afterCommit(() => notifyJobs(app))
    return { body: await readTransferRow(context, id) }
  })

/** Returns null without items. */
async function lockPayable(
  context: UseCaseContext,
  { currency }: TransferRecord,
  { company_id: companyId, items }: CreditInput,
): Promise<LockedPayable | null> {
  if (items.length === 0) return null
  const itemRefs = items.map(({ contractType, id }) => ({ kind: kindsByContractType[contractType], id }))
  const payable = await lockItems(context, itemRefs)
  if (!payable) throw createNotFoundProblem()
  if (payable.items.some((item) => item.companyId !== companyId || item.currency !== currency))
    throw createFieldError('items', 'MIXED_ITEMS')
  return payable
}

/** The purchase order number that the customer entered for these items stays (decision 121). */
async function payItems(context: UseCaseContext, transfer: TransferRecord, payable: LockedPayable): Promise<void> {
  const { db, now } = context
  const { companyId } = payable
  const payableRef = await findItemsRef(db, { companyId, items: payable.items.map(({ itemRef }) => itemRef) })
  const attempt = payableRef && (await findLatestAttempt(db, payableRef))
  const entries = await payWithCredit(context, payable, {
    method: 'transfer',
    reference: getPaymentReference(transfer),
    poNumber: attempt?.po_number ?? null,
    user: null,
    paidAt: now,
  })
  for (const entry of entries) await context.audit({ ...entry, company: { id: companyId, actor: PROVIDER } })
}
