import { type Caller, isAllowed, isProviderAdmin } from '#domain/access.ts'
import type { AuditEntryRow, AuditMenu } from '#domain/audit-log/leaf.ts'

interface RecordLink {
  canOpen: (caller: Caller, isOwn: boolean) => boolean
  /** `companyId`: company of the record if it is not the caller's, else null. */
  findPath: (info: AuditEntryRow['info'], companyId: number | null) => string | null
}

const isOwnAdmin: RecordLink['canOpen'] = (caller, isOwn) => isOwn && isAllowed('admin', caller)

const contractLink: RecordLink = {
  canOpen: (caller, isOwn) => (isOwn || isProviderAdmin(caller)) && isAllowed('order', caller),
  findPath: (info, companyId) =>
    buildIdPath('/app/contract/', info['OrderId']) ?? buildSearchPath('/app/contract', info['ServiceCode'], companyId),
}

const linksByMenu: Partial<Record<AuditMenu, RecordLink>> = {
  user: { canOpen: isOwnAdmin, findPath: (info) => buildIdPath('/app/user?user=', info['UserId']) },
  company: { canOpen: isOwnAdmin, findPath: () => '/app/profile/company' },
  order: contractLink,
  service: contractLink,
  module: { canOpen: isProviderAdmin, findPath: (info) => buildSearchPath('/app/m18/module', info['ModuleCode']) },
  automodule: {
    canOpen: isProviderAdmin,
    findPath: (info) => buildSearchPath('/app/m18/automodule', info['ModuleCode']),
  },
  app: { canOpen: isProviderAdmin, findPath: (info) => buildSearchPath('/app/apphistory', info['AppCode']) },
  price: { canOpen: isProviderAdmin, findPath: () => '/app/m18/price' },
}

/** Returns the path of the page of an entry's record, or null if there is no page or the caller may not open it. */
export function toRecordPath({ code, info, company_id: companyId }: AuditEntryRow, caller: Caller): string | null {
  const isOwn = companyId === caller.companyId
  const link = linksByMenu[code]
  return link?.canOpen(caller, isOwn) ? link.findPath(info, isOwn ? null : companyId) : null
}

const buildIdPath = (path: string, id: unknown) =>
  Number.isSafeInteger(id) && Number(id) > 0 ? `${path}${Number(id)}` : null

function buildSearchPath(path: string, text: unknown, companyId: number | null = null): string | null {
  if (typeof text !== 'string' || text === '') return null
  // The codes of several services that were paid together. No search finds all of them.
  if (text.includes(',')) return null
  const query = new URLSearchParams({ ...(companyId === null ? {} : { company: String(companyId) }), searchText: text })
  return `${path}?${query}`
}
