import { type Caller, isProviderAdmin, isAllowed } from '#domain/access.ts'
import type { AppContext } from '#server/context/context.ts'

export const servicesChannel = 'portal_services'

/** Announces changed services to every node. Call it after the commit. A lost announcement does no harm, because clients also poll. */
export const announceServices = ({ database }: Pick<AppContext, 'database'>, companyId: number): void =>
  void database.announce(servicesChannel, String(companyId)).catch(() => undefined)

export const canSeeServicesOf = (caller: Caller, companyIds: ReadonlySet<number>): boolean =>
  isAllowed('orderOrProviderAdmin', caller) && (isProviderAdmin(caller) || companyIds.has(caller.companyId))
