import type { listTrailAlarms } from '#contract/audit-trail.ts'
import type { UseCase } from '#server/context/context.ts'
import { asSystem } from '#server/db/tenant.ts'
import { listLogAlarms } from '#server/use-cases/audit/log-alarms.ts'

export const listAlarms: UseCase<typeof listTrailAlarms> = async ({ app, db }) => {
  const alarms = [...listLogAlarms(app)].toSorted(([one], [other]) => one - other)
  if (alarms.length === 0) return { body: [] }
  const ids = alarms.map(([companyId]) => companyId)
  const companies = await asSystem(db, () =>
    db.selectFrom('company').select(['id', 'name']).where('id', 'in', ids).execute(),
  )
  const names = new Map(companies.map(({ id, name }) => [id, name]))
  return {
    body: alarms.map(([companyId, alarm]) => ({
      company_id: companyId,
      company_name: names.get(companyId) ?? null,
      ...alarm,
    })),
  }
}
