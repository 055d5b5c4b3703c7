import { type Caller, isAllowed } from '#domain/access.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

interface HistoryRecord {
  code: AuditMenu
  /** As entries name the record. */
  name: string
  /** Whose record it is, where it is a company's. */
  companyId?: number
  /** Entries of the catalogue are the delete level's (contracts 2). */
  access?: 'trail' | 'deleteLevel'
}

/** Where the audit trail tells of a record; null: this caller may not read it (D51). */
export function buildHistoryPath(
  { code, name, companyId, access = 'trail' }: HistoryRecord,
  caller: Caller,
): string | null {
  const isOtherCompany = companyId !== undefined && companyId !== caller.companyId
  if (name === '' || !isAllowed(access, caller) || (isOtherCompany && !isAllowed('providerAdmin', caller))) return null
  const company = isOtherCompany ? { company: String(companyId) } : {}
  return `/app/systrail?${new URLSearchParams({ code, ...company, searchText: name })}`
}
