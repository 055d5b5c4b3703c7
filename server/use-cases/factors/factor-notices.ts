/** Records every change of an account's sign-in methods, and mails the user about it (S-38), except about a new name. */
import type { UserCredential } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { FactorMail } from '#server/use-cases/mail/mail-kinds.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'

export interface FactorNote {
  /** Null if no mail is sent, because the way to sign in has not changed. */
  mail: FactorMail | null
  field: 'authenticator app' | 'passkey' | 'recovery code' | 'recovery codes'
  change: 'added' | 'removed' | 'renamed' | 'used' | 'renewed'
}

/** Runs in the transaction of the change. Call `notifyJobs` after the commit, so that the mail is sent without delay. */
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
