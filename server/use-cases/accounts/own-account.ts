/** The own account, and what the client must know of this installation. */
import type { getSettings, getUser, updateOwnUser } from '#contract/accounts.ts'
import { isCompanyAdmin } from '#domain/access.ts'
import { tidyText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import { checkUser, userStatus } from '#domain/accounts/users.ts'
import { nameOfOwnAsset } from '#server/db/accounts/assets.ts'
import type { Handle } from '#server/db/handle.ts'
import { endOfLink } from '#server/db/accounts/one-time-keys.ts'
import { userById, userForUpdate, type UserRecord } from '#server/db/accounts/users.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { invalid } from '#server/problems/problem-error.ts'
import { sealKeysFor } from '#server/use-cases/sessions/seal-key.ts'
import { requireUserVersion, store, userNotFound, userRowOf } from '#server/use-cases/accounts/users.ts'

/** Oneself; an admin sees the own company's others. For everybody else another's id is as good as none. */
export const user: UseCase<typeof getUser> = async ({ db, app, caller, sessionId }, { query }) => {
  const id = query.userId ?? caller.userId
  const self = id === caller.userId
  const found =
    typeof id === 'number' && (self || isCompanyAdmin(caller)) ? await userById(db, caller.companyId, id) : null
  if (!found) throw userNotFound()
  const invitation = self || found.status !== userStatus.deactivated ? null : await invitationOf(db, app, found.id)
  const keys = self ? await sealKeysFor(db, found, { sessionId, seals: query.seals }) : noSealKeys
  return { body: { ...userRowOf(app, found), ...keys, invitation } }
}

/** Nobody is given another's, whatever they ask for. */
const noSealKeys = { seal_key: null, session_seal_key: null, seal_keys: [] }

async function invitationOf(db: Handle, { config, clock }: AppContext, userId: number) {
  const until = await endOfLink(db, userId, 'activate')
  return until === null ? null : { until: timestampIn(config.timeZone, until), works: until > clock() }
}

export const changeOwn: UseCase<typeof updateOwnUser> = async (context, { params, body }) => {
  const { db, caller } = context
  const before = params.id === caller.userId ? await userForUpdate(db, caller.companyId, caller.userId) : null
  if (!before) throw userNotFound()
  await requireUserVersion(context, before)
  const fields = { ...body, ...(body.name === undefined ? {} : { name: tidyText(body.name) }) }
  const problems = checkUser(fields.name === undefined || fields.name === before.name ? {} : { name: fields.name })
  if (problems.length > 0) throw invalid(problems)
  const avatar = fields.avatar === undefined ? before.avatar : await ownPicture(context, before, fields.avatar)
  return store(context, before, changed(before, { ...fields, avatar }), 'update')
}

/** One that this user has put in: named as the server calls it, or by the number that its own write left. */
async function ownPicture({ db, caller }: UseCaseContext, before: UserRecord, said: string | number | null) {
  if (said === null || said === before.avatar) return said
  const name = await nameOfOwnAsset(db, caller.userId, said)
  if (name === null) throw invalid([{ field: 'avatar', code: 'INVALID_FORMAT' }])
  return name
}

type OwnFields = Partial<Pick<UserRecord, 'name' | 'avatar' | 'language'>>

function changed(before: UserRecord, fields: { [F in keyof OwnFields]?: OwnFields[F] | undefined }): OwnFields {
  const { name = before.name, avatar = before.avatar, language = before.language } = fields
  return {
    ...(name === before.name ? {} : { name }),
    ...(avatar === before.avatar ? {} : { avatar }),
    ...(language === before.language ? {} : { language }),
  }
}

export const settings =
  (build: string): UseCase<typeof getSettings> =>
  async ({ app: { config, payments } }) => ({
    body: {
      time_zone: config.timeZone,
      uat_bound: config.uatBound,
      currencies: ['HKD', 'USD', 'RMB'],
      payment: {
        stripe_key: payments.stripeKey,
        card_frame: payments.cardFrame,
        alipay: payments.types.includes('alipay'),
        types: [...payments.types],
      },
      build,
      minimum_build: config.minBuild === 0 ? '' : String(config.minBuild),
      worker_bypass: config.workerBypass,
    },
  })
