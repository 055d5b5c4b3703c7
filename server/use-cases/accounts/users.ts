/** The users of the own company: listed, invited, changed, moved between their states (portal 4). */
import { tellEnded } from '#server/use-cases/sessions/ended-sessions.ts'
import type { Id } from '#contract/endpoint.ts'
import type {
  createUser,
  deleteUser,
  listUsers,
  sendActivationMail,
  updateCompanyUser,
  UserRow,
} from '#contract/users.ts'
import { type Caller, environments, isDeleteLevel, PROVIDER } from '#domain/access.ts'
import { fieldChanges } from '#domain/audit-log/changes.ts'
import { tidyText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import {
  checkUser,
  lockedFields,
  type UserFields,
  type UserMove,
  userMoveLeadsTo,
  userStatus,
  whyNotMove,
} from '#domain/accounts/users.ts'
import type { Handle } from '#server/db/handle.ts'
import { endSessionsOf } from '#server/db/accounts/tokens.ts'
import * as users from '#server/db/accounts/users.ts'
import type { Answer, UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { forbidden, invalid, ProblemError } from '#server/problems/problem-error.ts'
import { announceAccount } from '#server/use-cases/accounts/announce-account.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { askMail, countMails } from '#server/use-cases/mail/request-mail.ts'
import { newSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { requireVersion } from '#server/use-cases/if-match.ts'

/** A row as answers show it: listed field by field, so that nothing leaves by being in the table. */
export function userRowOf({ config }: AppContext, record: users.UserRecord): UserRow & { id: number } {
  return {
    id: record.id,
    name: record.name,
    email: record.email,
    title: record.title,
    admin: record.admin,
    order: record.orders,
    alert: record.alert,
    status: record.status,
    avatar: record.avatar,
    language: record.language,
    access_level: record.access_level,
    company_id: record.company_id,
    company_name: record.company_name,
    company_code: record.company_code,
    create_time: timestampIn(config.timeZone, record.create_time),
    invite_time: timestampIn(config.timeZone, record.invite_time ?? record.create_time),
    update_time: timestampIn(config.timeZone, record.update_time),
    row_version: record.row_version,
  }
}

/** Throws the 412 that shows the user as it is now. */
export const requireUserVersion = (context: UseCaseContext, user: users.UserRecord) =>
  requireVersion(context, user, {
    current: () => userRowOf(context.app, user),
    kept: { code: 'user', info: { UserId: user.id } },
  })

/** Foreign, missing and not yet named are one answer: nobody learns that the row exists (S-53). */
export const userNotFound = () => new ProblemError('USER_NOT_EXIST')

/** Throws USER_NOT_EXIST for another company's user, and SELF_FORBIDDEN for the caller. */
export async function colleagueOf(db: Handle, caller: Caller, id: Id): Promise<users.UserRecord> {
  const user = typeof id === 'number' ? await users.userById(db, caller.companyId, id) : null
  if (!user) throw userNotFound()
  if (user.id === caller.userId) throw new ProblemError('SELF_FORBIDDEN')
  return user
}

/** The company of the path must be the caller's own. */
function requireOwnCompany({ caller }: UseCaseContext, companyId: Id): number {
  if (companyId !== caller.companyId) throw new ProblemError('NOT_FOUND')
  return companyId
}

export const list = {
  page: (async (context, { params, query }) => {
    const companyId = requireOwnCompany(context, params.companyId)
    const { count, rows } = await users.listUsers(context.db, companyId, query)
    return { body: { count, data: rows.map((row) => userRowOf(context.app, row)) } }
  }) satisfies UseCase<typeof listUsers>,

  async changes(context: UseCaseContext, { params }: { params: { companyId: Id } }, since: number | null) {
    const companyId = requireOwnCompany(context, params.companyId)
    const { changed, gone, upto } = await users.usersChangedSince(context.db, companyId, since)
    return { changed: changed.map((row) => userRowOf(context.app, row)), gone, upto }
  },

  async rowsAfter(context: UseCaseContext, { params }: { params: { companyId: Id } }, id: number, most: number) {
    const companyId = requireOwnCompany(context, params.companyId)
    const rows = await users.usersAfter(context.db, companyId, id, most)
    return rows.map((row) => userRowOf(context.app, row))
  },
}

/** Locked until the commit. Throws USER_NOT_EXIST for missing and foreign alike. */
async function ownUser({ db, caller }: UseCaseContext, id: Id): Promise<users.UserRecord> {
  const found = typeof id === 'number' ? await users.userForUpdate(db, caller.companyId, id) : null
  if (!found) throw userNotFound()
  return found
}

/** Only the delete level gives an access level, and only to the provider's users (D48). */
function requireMayGrant({ caller }: UseCaseContext, level: number, present: number): void {
  if (level === present) return
  if (caller.companyCode !== PROVIDER || !isDeleteLevel(caller)) throw forbidden()
}

export const create: UseCase<typeof createUser> = async (context, { body }) => {
  const { db, caller, now } = context
  const name = tidyText(body.name)
  const email = tidyText(body.email)
  const problems = checkUser({ name, email })
  if (problems.length > 0) throw invalid(problems)
  requireMayGrant(context, body.access_level, environments.production)
  if (await users.userByEmail(db, caller.companyId, email)) throw new ProblemError('DUP_USER')
  const change = await context.nextChangeNumber(caller.companyId)
  const id = await users.insertUser(db, {
    company_id: caller.companyId,
    title: body.title,
    name,
    email,
    password_hash: null,
    admin: body.admin,
    orders: body.order,
    alert: body.alert,
    status: userStatus.deactivated,
    avatar: null,
    language: users.languageOf(caller.userId),
    access_level: body.access_level,
    seal_key: newSealKey(),
    change,
    create_time: now,
    update_time: now,
  })
  await sendActivation(context, { id, email })
  const made = await users.userById(db, caller.companyId, id)
  if (!made) throw new Error('a user that was just made is not there')
  return answer(context, made, 'create', null)
}

/** Throws MAIL_LIMIT where this address has had its mails of the hour, and COMPANY_MAIL_LIMIT where the company has (S-40). */
async function sendActivation(context: UseCaseContext, to: { id: number; email: string }): Promise<void> {
  const { db, caller, now } = context
  await countMails(db, { email: to.email, by: caller, now })
  await askMail(db, { companyId: caller.companyId, now }, { mail: 'activation', userId: to.id })
  context.afterCommit(() => notifyJobs(context.app))
}

/** Of the row only the time of the invitation changes. */
export const activatemail: UseCase<typeof sendActivationMail> = async (context, { params }) => {
  const { db, caller } = context
  const user = typeof params.id === 'number' ? await users.userForUpdate(db, caller.companyId, params.id) : null
  if (!user) throw userNotFound()
  await requireUserVersion(context, user)
  const why = whyNotMove('activatemail', user, { self: user.id === caller.userId })
  if (why) throw new ProblemError(why)
  await sendActivation(context, user)
  const after = await users.updateUser(db, user, { invite_time: context.now })
  return answer(context, after, 'update', user)
}

export const update: UseCase<typeof updateCompanyUser> = async (context, { params, body }) => {
  const before = await ownUser(context, params.id)
  await requireUserVersion(context, before)
  const fields = changedFields(context, before, body)
  requireMayGrant(context, fields.access_level ?? before.access_level, before.access_level)
  await requireAdminLeft(context, before, { ...before, admin: fields.admin ?? before.admin })
  const { order, ...same } = fields
  const result = await store(context, before, { ...same, ...(order === undefined ? {} : { orders: order }) }, 'update')
  if (['admin', 'order', 'access_level'].some((field) => field in fields))
    noteSecurity(context, 'role changed', before.id)
  return result
}

type Sent = { [F in keyof UserFields]?: UserFields[F] | undefined }

/** What differs from the row. A locked field with the value it has is no change; with another it is a mistake. */
function changedFields({ caller }: UseCaseContext, before: users.UserRecord, body: Sent): Partial<UserFields> {
  const present: Record<string, unknown> = { ...before, order: before.orders }
  const tidy = body.name === undefined ? body : { ...body, name: tidyText(body.name) }
  const changed = Object.fromEntries(
    Object.entries(tidy).filter(([field, value]) => value !== undefined && value !== present[field]),
  ) as Partial<UserFields>
  const locked: ReadonlySet<string> = lockedFields(before, { self: before.id === caller.userId })
  const refused = Object.keys(changed).filter((field) => locked.has(field))
  const problems = [...refused.map((field) => ({ field, code: 'LOCKED' as const })), ...checkUser(changed)]
  if (problems.length > 0) throw invalid(problems)
  return changed
}

/** D54: a company must not lock itself out. */
async function requireAdminLeft(
  { db, caller }: UseCaseContext,
  before: users.UserRecord,
  after: Pick<users.UserRecord, 'admin' | 'status'>,
): Promise<void> {
  const isActiveAdmin = (user: Pick<users.UserRecord, 'admin' | 'status'>) =>
    user.admin && user.status === userStatus.activated
  if (!isActiveAdmin(before) || isActiveAdmin(after)) return
  if ((await users.countActiveAdmins(db, caller.companyId)) <= 1) throw new ProblemError('LAST_ADMIN')
}

export const disable = (context: UseCaseContext, { params }: { params: { id: Id } }) =>
  move(context, params.id, 'disable')
export const enable = (context: UseCaseContext, { params }: { params: { id: Id } }) =>
  move(context, params.id, 'enable')

export const remove: UseCase<typeof deleteUser> = async (context, { params }) => {
  await move(context, params.id, 'remove')
  return { status: 204, body: null }
}

const operations = { enable: 'enable', disable: 'disable', remove: 'delete' } as const

async function move(
  context: UseCaseContext,
  id: Id,
  step: Exclude<UserMove, 'activatemail'>,
): Promise<Answer<UserRow & { id: number }>> {
  const before = await ownUser(context, id)
  // The version first: who did the same meanwhile is shown the row, not told that it is in the wrong state.
  await requireUserVersion(context, before)
  const why = whyNotMove(step, before, { self: before.id === context.caller.userId })
  if (why) throw new ProblemError(why)
  const status = userMoveLeadsTo[step]
  await requireAdminLeft(context, before, { ...before, status })
  const result = await store(context, before, { status }, operations[step])
  if (step !== 'enable') {
    // The next request of theirs is refused already by the status; the families end so that enabling revives none.
    await endSessionsOf(context.db, before.id, context.now, step === 'disable' ? 'disabled' : 'deleted')
    context.afterCommit(() => tellEnded(context.app))
    noteSecurity(context, step === 'disable' ? 'user disabled' : 'user deleted', before.id)
  }
  return result
}

/** Writes the fields of a locked row; nothing to write leaves row and version as they are. */
export async function store(
  context: UseCaseContext,
  before: users.UserRecord,
  fields: users.UserChange,
  operation: string,
): Promise<Answer<UserRow & { id: number }>> {
  const { db, now } = context
  if (Object.keys(fields).length === 0) {
    context.setResultRow('user', before.id, before.row_version)
    return { body: userRowOf(context.app, before) }
  }
  const after = await users.updateUser(db, before, { ...fields, update_time: now })
  return answer(context, after, operation, before)
}

async function answer(
  context: UseCaseContext,
  record: users.UserRecord,
  operation: string,
  before: users.UserRecord | null,
): Promise<Answer<UserRow & { id: number }>> {
  const { id } = record
  context.setResultRow('user', id, record.row_version)
  await context.audit({
    code: 'user',
    operation,
    info: { CompanyName: record.company_name, UserName: record.name, UserEmail: record.email, UserId: id },
    changes: fieldChanges(before && factsOf(before), factsOf(record), userFacts),
  })
  context.afterCommit(() => announceAccount(context.app, { companyId: record.company_id, userId: id }))
  return { body: userRowOf(context.app, record) }
}

const userFacts = [
  'title',
  'name',
  'email',
  'admin',
  'order',
  'alert',
  'status',
  'language',
  'access_level',
  'avatar',
] as const

/** What of a user an entry may show: neither password nor key; of a picture, that there is one. */
const factsOf = ({ orders, avatar, ...facts }: users.UserRecord) => ({
  ...facts,
  order: orders,
  avatar: avatar !== null,
})

function noteSecurity(
  { app, caller, requestId }: UseCaseContext,
  event: 'role changed' | 'user disabled' | 'user deleted',
  id: number,
) {
  securityEvent(app.log, event, { user: caller.userId, tenant: caller.companyId, about: id, request: requestId })
}
