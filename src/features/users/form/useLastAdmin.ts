import type { RowRef } from '#contract/endpoint.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { readLastAdmin } from '#features/users/read-users.ts'

/**
 * Returns the only active admin, who cannot be disabled or deleted (D54). Null if the caller is an admin, because then no other user can be
 * the only one.
 */
export function useLastAdmin(): RowRef | null {
  const { user } = useSignedInSession()
  return useLiveQuery(async () => (user.admin ? null : await readLastAdmin(user.company_id)), [user]) ?? null
}
