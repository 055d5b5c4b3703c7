/** The own company's profile; its code never changes. */
import { fieldChanges } from '#domain/audit-log/changes.ts'
import { checkCompany } from '#domain/accounts/companies.ts'
import { tidyText } from '#domain/text.ts'
import type { getCompany, updateCompany } from '#contract/accounts.ts'
import {
  companiesFound,
  companyById,
  type CompanyName,
  companyForUpdate,
  type CompanyRecord,
  updateCompany as writeCompany,
} from '#server/db/accounts/companies.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { touchServices } from '#server/db/hosting/services.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { invalid, notFound } from '#server/problems/problem-error.ts'
import { announceAccount } from '#server/use-cases/accounts/announce-account.ts'
import { requireVersion } from '#server/use-cases/if-match.ts'

/** Of one page of names: who is not among them is looked for by more of the name. */
const maxFound = 20

/** For the provider's staff, who may look at all of them (D53). */
export const findCompanies = async (
  app: AppContext,
  { id, searchText = '' }: { id?: number | undefined; searchText?: string | undefined },
): Promise<CompanyName[]> => {
  const wish = { id: id ?? null, part: tidyText(searchText), most: maxFound }
  if (wish.id === null && wish.part === '') return []
  return await inTransaction(app, { role: 'portal_system' }, (db) => companiesFound(db, wish), 'reading')
}

type Company = Omit<CompanyRecord, 'create_time' | 'update_time'>

const companyRowOf = ({ create_time: _made, update_time: _changed, ...row }: CompanyRecord): Company => row

/** Another company's id is as good as none. */
function ownId({ caller }: UseCaseContext, id: number | `~${string}`): number {
  if (id !== caller.companyId) throw notFound()
  return id
}

export const get: UseCase<typeof getCompany> = async (context, { params }) => {
  const found = await companyById(context.db, ownId(context, params.id))
  if (!found) throw notFound()
  return { body: companyRowOf(found) }
}

export const update: UseCase<typeof updateCompany> = async (context, { params, body }) => {
  const id = ownId(context, params.id)
  const before = await companyForUpdate(context.db, id)
  if (!before) throw notFound()
  await requireVersion(context, before, { current: () => companyRowOf(before), kept: { code: 'company', info: {} } })
  const fields = changedFields(before, body)
  if (Object.keys(fields).length > 0) {
    await writeCompany(context.db, id, { ...fields, update_time: context.now })
    if (fields.name !== undefined) {
      await touchServices(context.db, id)
      context.afterCommit(() => announceAccount(context.app, { companyId: id, userId: null }))
    }
    await context.audit({
      code: 'company',
      operation: 'update',
      info: { CompanyName: fields.name ?? before.name },
      changes: fieldChanges(before, { ...before, ...fields }, Object.keys(fields) as (keyof Fields)[]),
    })
  }
  const after = await companyById(context.db, id)
  if (!after) throw notFound()
  context.setResultRow('company', id, after.row_version)
  return { body: companyRowOf(after) }
}

type Fields = Partial<Omit<Company, 'id' | 'code' | 'row_version'>>

function changedFields(before: CompanyRecord, body: { [F in keyof Fields]?: Fields[F] | undefined }): Fields {
  const tidy = Object.entries(body).map(([field, value]) => [
    field,
    typeof value === 'string' ? tidyText(value) : value,
  ])
  const present: Record<string, unknown> = { ...before }
  const changed = Object.fromEntries(
    tidy.filter(([field, value]) => value !== undefined && value !== present[String(field)]),
  ) as Fields
  const problems = checkCompany(changed)
  if (problems.length > 0) throw invalid(problems)
  return changed
}
