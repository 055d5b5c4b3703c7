import { type Caller, isAllowed } from '#domain/access.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'

interface HistoryRecord {
  code: AuditMenu
  /** Name of the record in audit entries. */
  name: string
  companyId?: number
  /** Right that is needed to read the entries. Entries of the catalogue need the delete level (contracts 2). */
  access?: 'trail' | 'deleteLevel'
}

/** Returns the path of the audit trail of a record, or null if the caller may not read it (D51). */
export function buildHistoryPath(
  { code, name, companyId, access = 'trail' }: HistoryRecord,
  caller: Caller,
): string | null {
  const isOtherCompany = companyId !== undefined && companyId !== caller.companyId
  if (name === '' || !isAllowed(access, caller) || (isOtherCompany && !isAllowed('providerAdmin', caller))) return null
  const company = isOtherCompany ? { company: String(companyId) } : {}
  return `/app/systrail?${new URLSearchParams({ code, ...company, searchText: name })}`
}
