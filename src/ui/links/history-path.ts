import { type Caller, may } from '#domain/access.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

interface About {
  code: AuditMenu
  /** As entries name the record. */
  name: string
  /** Whose record it is, where it is a company's. */
  companyId?: number
  /** Entries of the catalogue are the delete level's (contracts 2). */
  who?: 'trail' | 'deleteLevel'
}

/** Where the audit trail tells of a record; null: this caller may not read it (D51). */
export function historyPath({ code, name, companyId, who = 'trail' }: About, caller: Caller): string | null {
  const isOthers = companyId !== undefined && companyId !== caller.companyId
  if (name === '' || !may(who, caller) || (isOthers && !may('providerAdmin', caller))) return null
  const company = isOthers ? { company: String(companyId) } : {}
  return `/app/systrail?${new URLSearchParams({ code, ...company, searchText: name })}`
}
