/** Where the record of an entry has its page, for who may go there; null: nowhere. */
import { type Caller, isProviderAdmin, isAllowed } from '#domain/access.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'

export function toRecordPath({ code, info, company_id }: AuditEntryRow, caller: Caller): string | null {
  const isOwn = company_id === caller.companyId
  if (code === 'user' && isOwn && isAllowed('admin', caller)) return buildIdPath('/app/user?user=', info['UserId'])
  if (code === 'company' && isOwn && isAllowed('admin', caller)) return '/app/profile/company'
  if ((code === 'order' || code === 'service') && (isOwn || isProviderAdmin(caller)) && isAllowed('order', caller)) {
    const order = buildIdPath('/app/contract/', info['OrderId'])
    return order ?? buildSearchPath('/app/contract', info['ServiceCode'], isOwn ? null : company_id)
  }
  if (!isProviderAdmin(caller)) return null
  if (code === 'module') return buildSearchPath('/app/m18/module', info['ModuleCode'])
  if (code === 'automodule') return buildSearchPath('/app/m18/automodule', info['ModuleCode'])
  if (code === 'app') return buildSearchPath('/app/apphistory', info['AppCode'])
  return code === 'price' ? '/app/m18/price' : null
}

const buildIdPath = (path: string, id: unknown) =>
  Number.isSafeInteger(id) && Number(id) > 0 ? `${path}${Number(id)}` : null

function buildSearchPath(path: string, text: unknown, companyId: number | null = null): string | null {
  if (typeof text !== 'string' || text === '') return null
  const query = new URLSearchParams({ ...(companyId === null ? {} : { company: String(companyId) }), searchText: text })
  return `${path}?${query}`
}
