import { type Caller, isAllowed, isProviderAdmin } from '#domain/access.ts'
import type { AuditEntryRow, AuditMenu } from '#domain/audit-log/leaf.ts'

type FindPath = (entry: AuditEntryRow, caller: Caller) => string | null

const isOwn = (entry: AuditEntryRow, caller: Caller) => entry.company_id === caller.companyId

const ofOwnCompany =
  (getPath: (info: AuditEntryRow['info']) => string | null): FindPath =>
  (entry, caller) =>
    isOwn(entry, caller) && isAllowed('admin', caller) ? getPath(entry.info) : null

const ofStaff =
  (getPath: (info: AuditEntryRow['info']) => string | null): FindPath =>
  (entry, caller) =>
    isProviderAdmin(caller) ? getPath(entry.info) : null

const findContractPath: FindPath = (entry, caller) => {
  const isReadable = (isOwn(entry, caller) || isProviderAdmin(caller)) && isAllowed('order', caller)
  if (!isReadable) return null
  const { info, company_id: companyId } = entry
  const orderPath = buildIdPath('/app/contract/', info['OrderId'])
  return orderPath ?? buildSearchPath('/app/contract', info['ServiceCode'], isOwn(entry, caller) ? null : companyId)
}

const pathsByMenu: Partial<Record<AuditMenu, FindPath>> = {
  user: ofOwnCompany((info) => buildIdPath('/app/user?user=', info['UserId'])),
  company: ofOwnCompany(() => '/app/profile/company'),
  order: findContractPath,
  service: findContractPath,
  module: ofStaff((info) => buildSearchPath('/app/m18/module', info['ModuleCode'])),
  automodule: ofStaff((info) => buildSearchPath('/app/m18/automodule', info['ModuleCode'])),
  app: ofStaff((info) => buildSearchPath('/app/apphistory', info['AppCode'])),
  price: ofStaff(() => '/app/m18/price'),
}

/** The page of an entry's record; null: it has none, or the caller may not open it. */
export const toRecordPath: FindPath = (entry, caller) => pathsByMenu[entry.code]?.(entry, caller) ?? null

function buildIdPath(path: string, id: unknown): string | null {
  return Number.isSafeInteger(id) && Number(id) > 0 ? `${path}${Number(id)}` : null
}

function buildSearchPath(path: string, text: unknown, companyId: number | null = null): string | null {
  if (typeof text !== 'string' || text === '') return null
  const query = new URLSearchParams({ ...(companyId === null ? {} : { company: String(companyId) }), searchText: text })
  return `${path}?${query}`
}
