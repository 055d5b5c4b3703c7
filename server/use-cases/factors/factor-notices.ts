/** Whoever changes how an account is signed in to is written down, and its user is told by mail (S-38). */
import type { UserCredential } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { FactorMail } from '#server/use-cases/mail/mail-kinds.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

export interface FactorNote {
  /** Null: nothing about the sign-in has changed. */
  mail: FactorMail | null
  /** In the trail: what it was, and what became of it. Never a secret. */
  field: 'authenticator app' | 'passkey' | 'recovery code' | 'recovery codes'
  change: 'added' | 'removed' | 'renamed' | 'used' | 'renewed'
}

/** In the transaction of what it is about; ring for the mail behind it. */
export async function recordFactorChange(
  db: DatabaseHandle,
  { userId, companyId, userName }: UserCredential,
  { mail, field, change }: FactorNote,
  { now, requestId }: { now: number; requestId: string },
): Promise<void> {
  if (mail) await requestMail(db, { companyId, now }, { mail, userId })
  await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId }, [
    { code: 'user', operation: 'update', info: { UserName: userName, Field: field, Change: change } },
  ])
}
