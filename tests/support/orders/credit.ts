/** Adds credit to a company, as a bank transfer that was credited. */
import { readAmount } from '#domain/money.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { addCreditEntry, lockCredit } from '#server/db/payments/credit.ts'

interface CreditInput {
  companyId: number
  amount: string
  currency?: 'HKD' | 'USD' | 'RMB'
  now: number
}

/** Needs the system role. Returns the id of the transfer. */
export async function addTransferCredit(
  db: DatabaseHandle,
  { companyId, amount, currency = 'HKD', now }: CreditInput,
): Promise<number> {
  const { count } = await db
    .selectFrom('bank_transfer')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const bank_reference = `FT-${Number(count) + 1}`
  const { id } = await db
    .insertInto('bank_transfer')
    .values({
      identity: bank_reference,
      source: 'staff',
      account: '',
      day: '2026-03-02',
      currency,
      amount,
      sender: 'Alpha Limited',
      reference: '',
      bank_reference,
      state: 'credited',
      company_id: companyId,
      user_id: null,
      create_time: now,
      update_time: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await lockCredit(db, { companyId, currency })
  const entry = { amount: readAmount(amount), now, cause: 'transfer', transfer_id: id, user_id: null } as const
  await addCreditEntry(db, { companyId, currency }, entry)
  return id
}
