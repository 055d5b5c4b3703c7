/** Stores the language of a user's login. Mails to the user are written in this language (D68). */
import type { Language } from '#domain/accounts/users.ts'
import type { UserCredential } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { updateUser, lockUser } from '#server/db/accounts/users.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'

/** Returns the audit entries of the change. `language` is null if the client sent no supported language. */
export async function updatePreferredLanguage(
  db: DatabaseHandle,
  { userId, companyId, companyName, userName, language: currentLanguage }: UserCredential,
  language: Language | null,
  now: number,
): Promise<AuditEntry[]> {
  if (language === null || language === currentLanguage) return []
  const user = await lockUser(db, companyId, userId)
  if (!user) return []
  await updateUser(db, user, { language, update_time: now })
  const info = { CompanyName: companyName, UserName: userName, UserId: userId }
  const changes = [{ field: 'language', before: currentLanguage, after: language }]
  return [{ code: 'user', operation: 'update', info, changes }]
}
