/** A user is written to in the language in which they signed in last (D68). */
import type { Language } from '#domain/accounts/users.ts'
import type { Credential } from '#server/db/accounts/credentials.ts'
import type { Handle } from '#server/db/handle.ts'
import { updateUser, userForUpdate } from '#server/db/accounts/users.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'

/** In the sign-in's transaction; answers what is to stand in the trail. Null: the client did not say one of ours. */
export async function followLanguage(
  db: Handle,
  { userId, companyId, companyName, userName, language: present }: Credential,
  language: Language | null,
  now: number,
): Promise<AuditEntry[]> {
  if (language === null || language === present) return []
  const before = await userForUpdate(db, companyId, userId)
  if (!before) return []
  await updateUser(db, before, { language, update_time: now })
  const info = { CompanyName: companyName, UserName: userName, UserId: userId }
  const changes = [{ field: 'language', before: present, after: language }]
  return [{ code: 'user', operation: 'update', info, changes }]
}
