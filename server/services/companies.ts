/** The own company's profile; its code never changes. */
import { email } from '#domain/checks.ts'
import { tidyText } from '#domain/text.ts'
import type { getCompany, updateCompany } from '#contract/accounts.ts'
import {
  companyById,
  companyForUpdate,
  type CompanyRecord,
  updateCompany as writeCompany,
} from '#server/db/companies.ts'
import type { Context, Service } from '#server/house.ts'
import { invalid, notFound } from '#server/problem.ts'
import { requireVersion } from '#server/services/versions.ts'

type Company = Omit<CompanyRecord, 'create_time' | 'update_time'>

const companyRowOf = ({ create_time: _made, update_time: _changed, ...row }: CompanyRecord): Company => row

/** Another company's id is as good as none. */
function ownId({ caller }: Context, id: number | `~${string}`): number {
  if (id !== caller.companyId) throw notFound()
  return id
}

export const get: Service<typeof getCompany> = async (context, { params }) => {
  const found = await companyById(context.db, ownId(context, params.id))
  if (!found) throw notFound()
  return { body: companyRowOf(found) }
}

export const update: Service<typeof updateCompany> = async (context, { params, body }) => {
  const id = ownId(context, params.id)
  const before = await companyForUpdate(context.db, id)
  if (!before) throw notFound()
  requireVersion(context, before.row_version, () => companyRowOf(before))
  const fields = changedFields(before, body)
  if (Object.keys(fields).length > 0) {
    await writeCompany(context.db, id, { ...fields, update_time: context.now })
    await context.note({ code: 'company', operation: 'update', info: { CompanyName: fields.name ?? before.name } })
  }
  const after = await companyById(context.db, id)
  if (!after) throw notFound()
  context.left('company', id, after.row_version)
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
  const problems = [
    ...(changed.name === '' ? [{ field: 'name', code: 'REQUIRED' as const }] : []),
    ...(changed.email && email(changed.email) ? [{ field: 'email', code: 'INVALID_EMAIL' as const }] : []),
    ...(changed.tel && !telShape.test(changed.tel) ? [{ field: 'tel', code: 'INVALID_TEL' as const }] : []),
    ...(changed.website && !isWebsite(changed.website) ? [{ field: 'website', code: 'INVALID_FORMAT' as const }] : []),
  ]
  if (problems.length > 0) throw invalid(problems)
  return changed
}

const telShape = /^\+\d{1,4}-\d{3,20}$/

/** S-08: what is shown as a link leads to the web and nowhere else. */
function isWebsite(text: string): boolean {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`
  // A bare host is as people write it; anything else without a scheme of the web is not taken for one.
  if (address !== text && !/^[a-z0-9][a-z0-9.-]*\.[a-z]{2,}(:\d{1,5})?(\/|$)/i.test(text)) return false
  if (!URL.canParse(address)) return false
  const { username, password } = new URL(address)
  return username === '' && password === ''
}
