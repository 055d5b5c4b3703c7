/** Imports the received transfers of a bank statement (decision 124). */
import { type Caller, isAllowed } from '#domain/access.ts'
import { formatStatementFault } from '#domain/checks/statement-faults.ts'
import { cleanText } from '#domain/text.ts'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { importStatement as endpoint } from '#contract/staff/bank-transfers.ts'
import { findKnownIdentities, insertUnknownTransfers, lockNewTransfers } from '#server/db/payments/bank-transfers.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { parseStatement } from '#server/drivers/statements/parse-statement.ts'
import { type Statement, StatementError } from '#server/drivers/statements/statement.ts'
import type { UseCase } from '#server/context/context.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { identifyEntries, listIdentities, selectUnknown } from '#server/use-cases/bank-transfers/transfer-identity.ts'

type ImportInput = ParsedInputOf<typeof endpoint>

/**
 * Reads the file before the transaction, and replaces its content by the statement as JSON. Throws VALIDATION_ERROR (BAD_STATEMENT), and
 * UNAVAILABLE if too many files wait. For a caller without the right nothing is read, and the call is refused later.
 */
export async function prepareStatement(input: ImportInput, caller: Caller): Promise<ImportInput> {
  if (!isAllowed(endpoint.access, caller)) return input
  try {
    const statement = await parseStatement(input.body.content)
    return { ...input, body: { ...input.body, content: JSON.stringify(statement) } }
  } catch (error) {
    if (!(error instanceof StatementError)) throw error
    throw createValidationProblem([
      { field: 'content', code: 'BAD_STATEMENT', named: formatStatementFault(error.fault) },
    ])
  }
}

/** The input must come from `prepareStatement`. */
export const importStatement: UseCase<typeof endpoint> = (context, { body }) =>
  runAsSystem(context.db, async () => {
    const { db, app, caller, now } = context
    const { entries, skipped } = JSON.parse(body.content) as Statement
    const identified = identifyEntries(entries, app.payments.bankAccounts)
    await lockNewTransfers(db)
    const knownIdentities = await findKnownIdentities(db, listIdentities(identified))
    const added = await insertUnknownTransfers(
      db,
      selectUnknown(identified, knownIdentities).map(({ fields, identity }) => ({
        ...fields,
        identity,
        source: 'statement',
        state: 'open',
        user_id: caller.userId,
        create_time: now,
        update_time: now,
      })),
    )
    const knownCount = entries.length - added
    const info = { File: cleanText(body.name), TransferCount: added, KnownCount: knownCount, SkippedCount: skipped }
    await context.audit({ code: 'order', operation: 'import', info })
    return { body: { added, known: knownCount, skipped } }
  })
