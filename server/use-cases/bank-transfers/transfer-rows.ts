/** Rows of bank transfers for the staff, and what all calls about one transfer have in common. */
import { PROVIDER } from '#domain/access.ts'
import { toTimestamp } from '#domain/time.ts'
import type { BankTransferRow, TransferProposal } from '#contract/staff/bank-transfers.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import {
  findTransfer,
  listInvoicesOfTransfers,
  lockTransfer,
  type TransferRecord,
} from '#server/db/payments/bank-transfers.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { readProposals } from '#server/use-cases/bank-transfers/read-proposals.ts'

/** Reference of the payment that a transfer makes. With the id it is unique, also if the transfer was credited before by mistake. */
export const getPaymentReference = ({ id, bank_reference }: Pick<TransferRecord, 'id' | 'bank_reference'>): string =>
  bank_reference === '' ? `T${id}` : `${bank_reference}-T${id}`

/** Returns the rows in the same order, with proposals for those that are open. */
export async function toTransferRows(
  context: Pick<UseCaseContext, 'db' | 'app' | 'now'>,
  transfers: readonly TransferRecord[],
): Promise<BankTransferRow[]> {
  const { db, app } = context
  const proposals = await readProposals(
    context,
    transfers.filter(({ state }) => state === 'open'),
  )
  const credited = transfers.filter(({ company_id }) => company_id !== null)
  const invoices = await listInvoicesOfTransfers(db, credited.map(getPaymentReference))
  return transfers.map((transfer) =>
    toRow(transfer, {
      timeZone: app.config.timeZone,
      proposals: proposals.get(transfer.id) ?? [],
      invoices: invoices.get(getPaymentReference(transfer)) ?? [],
    }),
  )
}

interface RowFacts {
  timeZone: string
  proposals: TransferProposal[]
  invoices: string[]
}

function toRow(transfer: TransferRecord, { timeZone, proposals, invoices }: RowFacts): BankTransferRow {
  const {
    identity: _identity,
    create_time: createTime,
    update_time: _updateTime,
    user_id: _user,
    ...columns
  } = transfer
  return { ...columns, invoices, proposals, recorded: toTimestamp(timeZone, createTime) }
}

export async function readTransferRow(context: UseCaseContext, id: number): Promise<BankTransferRow> {
  const [row] = await toTransferRows(context, [requireRow(await findTransfer(context.db, id))])
  return requireRow(row)
}

/**
 * Locks the transfer. Throws NOT_FOUND, VERSION_CONFLICT with the current row if somebody has changed it, and STATE_CONFLICT with its state.
 */
export async function requireTransfer(
  context: UseCaseContext,
  id: number,
  { version, state }: { version: number; state: 'open' | 'credited' },
): Promise<TransferRecord> {
  const transfer = requireRow(await lockTransfer(context.db, id))
  if (transfer.row_version !== version) {
    const current = await readTransferRow(context, id)
    throw new ProblemError('VERSION_CONFLICT', { current, changed_by: transfer.user_name })
  }
  if (transfer.state !== state) throw new ProblemError('STATE_CONFLICT', { why: transfer.state })
  return transfer
}

/** `returned` and `dismissed`: it was closed without credit. */
export type TransferOutcome = 'recorded' | 'credited' | 'returned' | 'dismissed' | 'corrected'

const operations = {
  recorded: 'create',
  credited: 'confirm',
  returned: 'update',
  dismissed: 'update',
  corrected: 'withdraw',
} as const satisfies Record<TransferOutcome, string>

/**
 * Builds an entry for the log of the company that the money was credited to, otherwise for that of the provider. Only the provider's has the
 * sender: the money may be credited to the wrong company.
 */
export function buildTransferEntry(
  transfer: Pick<TransferRecord, 'id' | 'day' | 'currency' | 'amount' | 'sender' | 'bank_reference' | 'note'>,
  outcome: TransferOutcome,
  companyId: number | null = null,
): AuditEntry {
  const { id, day, currency, amount, sender, bank_reference: bankReference, note } = transfer
  return {
    code: 'order',
    operation: operations[outcome],
    info: {
      TransferId: id,
      Amount: `${currency} ${amount}`,
      TransferDate: day,
      ...(sender === '' || companyId !== null ? {} : { TransferSender: sender }),
      ...(bankReference === '' ? {} : { Reference: bankReference }),
      ...(note === null ? {} : { TransferNote: note }),
      Outcome: outcome,
    },
    ...(companyId === null ? {} : { company: { id: companyId, actor: PROVIDER } }),
  }
}
