/** The own account, and what the client must know of this installation. */
import { isCompanyAdmin } from '#domain/access.ts'
import { tidyText } from '#domain/text.ts'
import { checkUser } from '#domain/users.ts'
import type { getSettings, getUser, updateOwnUser } from '#contract/accounts.ts'
import { userById, type UserRecord, userForUpdate } from '#server/db/users.ts'
import type { Service } from '#server/house.ts'
import { invalid } from '#server/problem.ts'
import { store, userNotFound, userRowOf } from '#server/services/users.ts'
import { requireVersion } from '#server/services/versions.ts'

/** Oneself; an admin sees the own company's others. For everybody else another's id is as good as none. */
export const user: Service<typeof getUser> = async ({ db, house, caller }, { query }) => {
  const id = query.userId ?? caller.userId
  const self = id === caller.userId
  const found =
    typeof id === 'number' && (self || isCompanyAdmin(caller)) ? await userById(db, caller.companyId, id) : null
  if (!found) throw userNotFound()
  return { body: { ...userRowOf(house, found), seal_key: self ? found.seal_key : null } }
}

export const changeOwn: Service<typeof updateOwnUser> = async (context, { params, body }) => {
  const { db, house, caller } = context
  const before = params.id === caller.userId ? await userForUpdate(db, caller.companyId, caller.userId) : null
  if (!before) throw userNotFound()
  requireVersion(context, before.row_version, () => userRowOf(house, before))
  const fields = { ...body, ...(body.name === undefined ? {} : { name: tidyText(body.name) }) }
  const problems = checkUser(fields.name === undefined ? {} : { name: fields.name })
  if (problems.length > 0) throw invalid(problems)
  return store(context, before, changed(before, fields), 'update')
}

type OwnFields = Partial<Pick<UserRecord, 'name' | 'avatar' | 'language'>>

function changed(before: UserRecord, fields: { [F in keyof OwnFields]?: OwnFields[F] | undefined }): OwnFields {
  const { name = before.name, avatar = before.avatar, language = before.language } = fields
  // No asset has been stored yet, so none can be named.
  if (avatar !== null && avatar !== before.avatar) throw invalid([{ field: 'avatar', code: 'INVALID_FORMAT' }])
  return {
    ...(name === before.name ? {} : { name }),
    ...(avatar === before.avatar ? {} : { avatar }),
    ...(language === before.language ? {} : { language }),
  }
}

export const settings =
  (build: string): Service<typeof getSettings> =>
  async ({ house: { config } }) => ({
    body: {
      time_zone: config.timeZone,
      uat_bound: config.uatBound,
      currencies: ['HKD', 'USD', 'RMB'],
      payment: { stripe_key: null, alipay: false },
      build,
      minimum_build: config.minBuild === 0 ? '' : String(config.minBuild),
      worker_bypass: config.workerBypass,
    },
  })
