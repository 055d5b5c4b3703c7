/** Says to every node that a company's services have changed; each tells the people who are connected to it and may see them. */
import { type Caller, isProviderAdmin, isAllowed } from '#domain/access.ts'
import type { AppContext } from '#server/context/context.ts'

export const servicesChannel = 'portal_services'

/** Once what has changed is committed. An accelerator: who does not hear of it asks by itself. */
export const announceServices = ({ database }: Pick<AppContext, 'database'>, companyId: number): void =>
  void database.announce(servicesChannel, String(companyId)).catch(() => undefined)

/** Whether a change of those companies' services is anything to that user. */
export const canSeeServicesOf = (caller: Caller, companyIds: ReadonlySet<number>): boolean =>
  isAllowed('orderOrProviderAdmin', caller) && (isProviderAdmin(caller) || companyIds.has(caller.companyId))
