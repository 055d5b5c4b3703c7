import { findFieldChanges } from '#domain/audit-log/changes.ts'
import { checkCompany } from '#domain/accounts/company-fields.ts'
import { cleanText } from '#domain/text.ts'
import type { getCompany, updateCompany } from '#contract/accounts.ts'
import {
  searchCompanies,
  findCompanyById,
  type CompanySummary,
  lockCompany,
  type CompanyRecord,
  updateCompany as writeCompany,
} from '#server/db/accounts/companies.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import { touchServices } from '#server/db/hosting/services.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { createValidationProblem, createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'
import { announceAccount } from '#server/use-cases/accounts/announce-account.ts'
import { requireVersion } from '#server/use-cases/require-version.ts'

/** Maximum number of returned companies. A caller who does not find a company types more of its name. */
const maxMatches = 20

/** Searches all companies. Only for the provider's staff, who may see all of them (D53). */
export const findCompanies = async (
  app: AppContext,
  { id, searchText = '' }: { id?: number | undefined; searchText?: string | undefined },
): Promise<CompanySummary[]> => {
  const filter = { id: id ?? null, searchText: cleanText(searchText), limit: maxMatches }
  if (filter.id === null && filter.searchText === '') return []
  return await readAsSystem(app, (db) => searchCompanies(db, filter))
}

type CompanyRow = Omit<CompanyRecord, 'create_time' | 'update_time'>

const toCompanyRow = ({ create_time: _createTime, update_time: _updateTime, ...row }: CompanyRecord): CompanyRow => row

/** Returns the caller's own company id. Throws NOT_FOUND for any other id. */
function requireOwnCompanyId({ caller }: UseCaseContext, id: number | `~${string}`): number {
  if (id !== caller.companyId) throw createNotFoundProblem()
  return id
}

export const get: UseCase<typeof getCompany> = async (context, { params }) => {
  const company = requireRow(await findCompanyById(context.db, requireOwnCompanyId(context, params.id)))
  return { body: toCompanyRow(company) }
}

export const update: UseCase<typeof updateCompany> = async (context, { params, body }) => {
  const id = requireOwnCompanyId(context, params.id)
  const companyBefore = requireRow(await lockCompany(context.db, id))
  await requireVersion(context, companyBefore, {
    buildCurrentRow: () => toCompanyRow(companyBefore),
    auditTarget: { code: 'company', info: {} },
  })
  const fields = getChangedFields(companyBefore, body)
  if (Object.keys(fields).length > 0) {
    await writeCompany(context.db, id, { ...fields, update_time: context.now })
    if (fields.name !== undefined) {
      await touchServices(context.db, id)
      context.afterCommit(() => announceAccount(context.app, { companyId: id, userId: null }))
    }
    await context.audit({
      code: 'company',
      operation: 'update',
      info: { CompanyName: fields.name ?? companyBefore.name },
      changes: findFieldChanges(
        companyBefore,
        { ...companyBefore, ...fields },
        Object.keys(fields) as (keyof CompanyFields)[],
      ),
    })
  }
  const companyAfter = requireRow(await findCompanyById(context.db, id))
  context.setResultRow('company', id, companyAfter.row_version)
  return { body: toCompanyRow(companyAfter) }
}

type CompanyFields = Partial<Omit<CompanyRow, 'id' | 'code' | 'row_version'>>

function getChangedFields(
  companyBefore: CompanyRecord,
  body: { [F in keyof CompanyFields]?: CompanyFields[F] | undefined },
): CompanyFields {
  const normalisedFields = Object.entries(body).map(([field, value]) => [
    field,
    typeof value === 'string' ? cleanText(value) : value,
  ])
  const currentValues: Record<string, unknown> = { ...companyBefore }
  const changes = Object.fromEntries(
    normalisedFields.filter(([field, value]) => value !== undefined && value !== currentValues[String(field)]),
  ) as CompanyFields
  const problems = checkCompany(changes)
  if (problems.length > 0) throw createValidationProblem(problems)
  return changes
}
