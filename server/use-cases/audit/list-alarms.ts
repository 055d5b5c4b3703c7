import type { listTrailAlarms } from '#contract/audit-trail.ts'
import type { UseCase } from '#server/context/context.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { listLogAlarms } from '#server/use-cases/audit/log-alarms.ts'

export const listAlarms: UseCase<typeof listTrailAlarms> = async ({ app, db }) => {
  const alarms = [...listLogAlarms(app)].toSorted(([companyId], [otherCompanyId]) => companyId - otherCompanyId)
  if (alarms.length === 0) return { body: [] }
  const ids = alarms.map(([companyId]) => companyId)
  const companies = await runAsSystem(db, () =>
    db.selectFrom('company').select(['id', 'name']).where('id', 'in', ids).execute(),
  )
  const namesByCompany = new Map(companies.map(({ id, name }) => [id, name]))
  return {
    body: alarms.map(([companyId, alarm]) => ({
      company_id: companyId,
      company_name: namesByCompany.get(companyId) ?? null,
      ...alarm,
    })),
  }
}
