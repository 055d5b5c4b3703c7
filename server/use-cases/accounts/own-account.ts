import type { getSettings, getUser, updateOwnUser } from '#contract/accounts.ts'
import { type ActingConsent, type Caller, isCompanyAdmin } from '#domain/access.ts'
import { cleanText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import { checkUser, userStatus } from '#domain/accounts/users.ts'
import { findOwnAssetName } from '#server/db/accounts/assets.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { findLinkExpiry } from '#server/db/accounts/one-time-keys.ts'
import { findUserById, lockUser, type UserRecord } from '#server/db/accounts/users.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { createValidationProblem } from '#server/problems/problem-error.ts'
import { readSealKeys } from '#server/use-cases/sessions/seal-key.ts'
import { requireUserVersion, storeUser, createUserNotFoundError, toUserRow } from '#server/use-cases/accounts/users.ts'

/** Admins may read other users of their company. For other callers the ids of other users are treated as missing. */
export const readUser: UseCase<typeof getUser> = async ({ db, app, caller, sessionId }, { query }) => {
  if (caller.actingConsent && (query.userId ?? caller.userId) === caller.userId)
    return { body: await readActingUser(app, db, caller, caller.actingConsent) }
  const id = query.userId ?? caller.userId
  const isSelf = id === caller.userId
  const record =
    typeof id === 'number' && (isSelf || isCompanyAdmin(caller)) ? await findUserById(db, caller.companyId, id) : null
  if (!record) throw createUserNotFoundError()
  const invitation =
    isSelf || record.status !== userStatus.deactivated ? null : await findInvitation(db, app, record.id)
  const sealKeys = isSelf ? await readSealKeys(db, record, { sessionId, seals: query.seals }) : noSealKeys
  return { body: { ...toUserRow(app, record), ...sealKeys, invitation } }
}

/**
 * Returns the acting member of the provider's staff as a user of the customer's company, with the rights of the consent. There are no keys,
 * because a session that acts has no unsent writes (decision 111).
 */
async function readActingUser(
  app: AppContext,
  db: DatabaseHandle,
  caller: Caller,
  { staffCompanyId, until, allowsChanges }: ActingConsent,
) {
  const record = await runAsSystem(db, () => findUserById(db, staffCompanyId, caller.userId))
  const company = await findCompanyById(db, caller.companyId)
  if (!record || !company) throw createUserNotFoundError()
  const { companyId, companyCode, admin, order, accessLevel } = caller
  return {
    ...toUserRow(app, record),
    company_id: companyId,
    company_code: companyCode,
    company_name: company.name,
    admin,
    order,
    alert: false,
    access_level: accessLevel,
    ...noSealKeys,
    invitation: null,
    acting_until: toTimestamp(app.config.timeZone, until),
    acting_changes: allowsChanges,
  }
}

const noSealKeys = { seal_key: null, session_seal_key: null, seal_keys: [] }

async function findInvitation(db: DatabaseHandle, { config, clock }: AppContext, userId: number) {
  const expiresAt = await findLinkExpiry(db, userId, 'activate')
  return expiresAt === null ? null : { until: toTimestamp(config.timeZone, expiresAt), works: expiresAt > clock() }
}

export const changeOwnUser: UseCase<typeof updateOwnUser> = async (context, { params, body }) => {
  const { db, caller } = context
  const userBefore = params.id === caller.userId ? await lockUser(db, caller.companyId, caller.userId) : null
  if (!userBefore) throw createUserNotFoundError()
  await requireUserVersion(context, userBefore)
  const fields = { ...body, ...(body.name === undefined ? {} : { name: cleanText(body.name) }) }
  const problems = checkUser(fields.name === undefined || fields.name === userBefore.name ? {} : { name: fields.name })
  if (problems.length > 0) throw createValidationProblem(problems)
  const avatar =
    fields.avatar === undefined ? userBefore.avatar : await requireOwnPicture(context, userBefore, fields.avatar)
  return storeUser(context, userBefore, getChangedOwnFields(userBefore, { ...fields, avatar }), 'update')
}

/** Returns the name of the picture. Accepts only a picture of this user, by its name or by the id that the upload returned. */
async function requireOwnPicture(
  { db, caller }: UseCaseContext,
  userBefore: UserRecord,
  requestedAvatar: string | number | null,
) {
  if (requestedAvatar === null || requestedAvatar === userBefore.avatar) return requestedAvatar
  const name = await findOwnAssetName(db, caller.userId, requestedAvatar)
  if (name === null) throw createValidationProblem([{ field: 'avatar', code: 'INVALID_FORMAT' }])
  return name
}

type OwnFields = Partial<Pick<UserRecord, 'name' | 'avatar' | 'language'>>

function getChangedOwnFields(
  userBefore: UserRecord,
  fields: { [F in keyof OwnFields]?: OwnFields[F] | undefined },
): OwnFields {
  const { name = userBefore.name, avatar = userBefore.avatar, language = userBefore.language } = fields
  return {
    ...(name === userBefore.name ? {} : { name }),
    ...(avatar === userBefore.avatar ? {} : { avatar }),
    ...(language === userBefore.language ? {} : { language }),
  }
}

export const createSettingsUseCase =
  (build: string): UseCase<typeof getSettings> =>
  async ({ app: { config, payments }, caller }) => ({
    body: {
      time_zone: config.timeZone,
      uat_bound: config.uatBound,
      credit_smaller_contracts: config.creditSmallerContracts,
      currencies: ['HKD', 'USD', 'RMB'],
      payment: caller.actingConsent
        ? { stripe_key: null, card_frame: null, alipay: false, types: [], transferCurrencies: [] }
        : {
            stripe_key: payments.stripeKey,
            card_frame: payments.cardFrame,
            alipay: payments.types.includes('alipay'),
            types: [...payments.types],
            transferCurrencies: payments.bankAccounts.map(({ currency }) => currency),
          },
      build,
      minimum_build: config.minBuild === 0 ? '' : String(config.minBuild),
      worker_bypass: config.workerBypass,
    },
  })
