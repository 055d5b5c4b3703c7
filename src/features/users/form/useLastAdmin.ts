import type { RowRef } from '#contract/endpoint.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { readLastAdmin } from '#features/users/read-users.ts'

/** Whom nobody may disable or delete (D54). Who looks is mostly an admin too, and then there is another one. */
export function useLastAdmin(): RowRef | null {
  const { user } = useSignedInSession()
  return useLiveQuery(async () => (user.admin ? null : await readLastAdmin(user.company_id)), [user]) ?? null
}
