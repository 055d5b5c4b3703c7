/** Manages the users of the caller's company (portal 4). */
import { createListUseCase } from '#server/use-cases/list-use-case.ts'
import { announceEndedSessions } from '#server/use-cases/sessions/ended-sessions.ts'
import type { RowRef } from '#contract/endpoint.ts'
import type {
  createUser,
  deleteUser,
  listUsers,
  sendActivationMail,
  updateCompanyUser,
  UserRow,
} from '#contract/users.ts'
import { type Caller, environments, isDeleteLevel, isProviderAdmin, PROVIDER } from '#domain/access.ts'
import { findFieldChanges } from '#domain/audit-log/changes.ts'
import { cleanText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import {
  checkUser,
  getLockedFields,
  type UserFields,
  type UserAction,
  statusAfterUserAction,
  userStatus,
  getUserActionRefusal,
} from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { endAllSessions } from '#server/db/accounts/tokens.ts'
import { deleteNotificationsOf } from '#server/db/notifications/notifications.ts'
import * as users from '#server/db/accounts/users.ts'
import type { UseCaseResponse, UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createForbiddenProblem, createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import { announceAccount } from '#server/use-cases/accounts/announce-account.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { requestMail, countMails } from '#server/use-cases/mail/request-mail.ts'
import { createSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { runBehindFenceOf } from '#server/use-cases/orders/acting-company.ts'
import { requireVersion } from '#server/use-cases/require-version.ts'

/** Returns the row of a response. Its fields are listed one by one, so that a new column is never sent by accident. */
export function toUserRow({ config }: AppContext, record: users.UserRecord): UserRow & { id: number } {
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
    create_time: toTimestamp(config.timeZone, record.create_time),
    invite_time: toTimestamp(config.timeZone, record.invite_time ?? record.create_time),
    update_time: toTimestamp(config.timeZone, record.update_time),
    row_version: record.row_version,
  }
}

export const requireUserVersion = (context: UseCaseContext, user: users.UserRecord) =>
  requireVersion(context, user, {
    buildCurrentRow: () => toUserRow(context.app, user),
    auditTarget: { code: 'user', info: { UserId: user.id } },
  })

/** The problem for a user of another company and for a missing user. It is the same, so that no row is revealed (S-53). */
export const createUserNotFoundError = () => new ProblemError('USER_NOT_EXIST')

/** Throws USER_NOT_EXIST for a missing user and for one of another company, and SELF_FORBIDDEN for the caller. */
export async function requireColleague(db: DatabaseHandle, caller: Caller, id: RowRef): Promise<users.UserRecord> {
  const user = typeof id === 'number' ? await users.findUserById(db, caller.companyId, id) : null
  if (!user) throw createUserNotFoundError()
  if (user.id === caller.userId) throw new ProblemError('SELF_FORBIDDEN')
  return user
}

export const userList = createListUseCase<typeof listUsers, number, users.UserRecord>({
  reads: users.userReads,
  async runInScope(context, { params: { companyId } }, read) {
    const { caller } = context
    if (companyId === caller.companyId) return await read(caller.companyId)
    // The provider's admins read the users of a customer, and change none (decision 107).
    if (typeof companyId !== 'number' || !isProviderAdmin(caller)) throw new ProblemError('NOT_FOUND')
    return await runBehindFenceOf(context, companyId, () => read(companyId))
  },
  toRow: ({ app }, row) => toUserRow(app, row),
})

/** Locks the row until the commit. Throws USER_NOT_EXIST for a missing user and for one of another company. */
async function lockOwnUser({ db, caller }: UseCaseContext, id: RowRef): Promise<users.UserRecord> {
  const user = typeof id === 'number' ? await users.lockUser(db, caller.companyId, id) : null
  if (!user) throw createUserNotFoundError()
  return user
}

/** Only a caller with the delete level may change an access level, and only for the provider's users (D48). */
function requireGrantableLevel({ caller }: UseCaseContext, level: number, currentLevel: number): void {
  if (level === currentLevel) return
  if (caller.companyCode !== PROVIDER || !isDeleteLevel(caller)) throw createForbiddenProblem()
}

export const create: UseCase<typeof createUser> = async (context, { body }) => {
  const { db, caller, now } = context
  const name = cleanText(body.name)
  const email = cleanText(body.email)
  const problems = checkUser({ name, email })
  if (problems.length > 0) throw createValidationProblem(problems)
  requireGrantableLevel(context, body.access_level, environments.production)
  if (await users.findUserByEmail(db, caller.companyId, email)) throw new ProblemError('DUP_USER')
  const change = await context.takeNextChangeNumber(caller.companyId)
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
    language: users.selectUserLanguage(caller.userId),
    access_level: body.access_level,
    seal_key: createSealKey(),
    change,
    create_time: now,
    update_time: now,
  })
  await sendActivation(context, { id, email })
  const createdUser = await users.findUserById(db, caller.companyId, id)
  if (!createdUser) throw new Error('the created user does not exist')
  return finishUserWrite(context, createdUser, 'create', null)
}

/**
 * Requests the activation mail. Throws MAIL_LIMIT or COMPANY_MAIL_LIMIT if the hourly limit of the address or company is reached (S-40).
 */
async function sendActivation(context: UseCaseContext, recipient: { id: number; email: string }): Promise<void> {
  const { db, caller, now } = context
  await countMails(db, { email: recipient.email, sender: caller, now })
  await requestMail(db, { companyId: caller.companyId, now }, { mail: 'activation', userId: recipient.id })
  context.afterCommit(() => notifyJobs(context.app))
}

export const resendActivation: UseCase<typeof sendActivationMail> = async (context, { params }) => {
  const { db, caller } = context
  const user = typeof params.id === 'number' ? await users.lockUser(db, caller.companyId, params.id) : null
  if (!user) throw createUserNotFoundError()
  await requireUserVersion(context, user)
  const refusalCode = getUserActionRefusal('activatemail', user, { isSelf: user.id === caller.userId })
  if (refusalCode) throw new ProblemError(refusalCode)
  await sendActivation(context, user)
  const userAfter = await users.updateUser(db, user, { invite_time: context.now })
  return finishUserWrite(context, userAfter, 'update', user)
}

export const update: UseCase<typeof updateCompanyUser> = async (context, { params, body }) => {
  const userBefore = await lockOwnUser(context, params.id)
  await requireUserVersion(context, userBefore)
  const fields = getChangedFields(context, userBefore, body)
  requireGrantableLevel(context, fields.access_level ?? userBefore.access_level, userBefore.access_level)
  await requireRemainingAdmin(context, userBefore, { ...userBefore, admin: fields.admin ?? userBefore.admin })
  const { order, ...otherFields } = fields
  const result = await storeUser(
    context,
    userBefore,
    { ...otherFields, ...(order === undefined ? {} : { orders: order }) },
    'update',
  )
  if (['admin', 'order', 'access_level'].some((field) => field in fields))
    logUserEvent(context, 'role_changed', userBefore.id)
  return result
}

type SentFields = { [F in keyof UserFields]?: UserFields[F] | undefined }

/** Returns the fields that differ from the row. A locked field may be sent with its current value only. */
function getChangedFields(
  { caller }: UseCaseContext,
  userBefore: users.UserRecord,
  body: SentFields,
): Partial<UserFields> {
  const currentValues: Record<string, unknown> = { ...userBefore, order: userBefore.orders }
  const normalisedBody = body.name === undefined ? body : { ...body, name: cleanText(body.name) }
  const changes = Object.fromEntries(
    Object.entries(normalisedBody).filter(([field, value]) => value !== undefined && value !== currentValues[field]),
  ) as Partial<UserFields>
  const lockedNames: ReadonlySet<string> = getLockedFields(userBefore, { isSelf: userBefore.id === caller.userId })
  const refusedNames = Object.keys(changes).filter((field) => lockedNames.has(field))
  const problems = [...refusedNames.map((field) => ({ field, code: 'LOCKED' as const })), ...checkUser(changes)]
  if (problems.length > 0) throw createValidationProblem(problems)
  return changes
}

/** Throws LAST_ADMIN if the company would have no active admin: a company must not lock itself out (D54). */
async function requireRemainingAdmin(
  { db, caller }: UseCaseContext,
  userBefore: users.UserRecord,
  userAfter: Pick<users.UserRecord, 'admin' | 'status'>,
): Promise<void> {
  const isActiveAdmin = (user: Pick<users.UserRecord, 'admin' | 'status'>) =>
    user.admin && user.status === userStatus.activated
  if (!isActiveAdmin(userBefore) || isActiveAdmin(userAfter)) return
  if ((await users.countActiveAdmins(db, caller.companyId)) <= 1) throw new ProblemError('LAST_ADMIN')
}

export const disable = (context: UseCaseContext, { params }: { params: { id: RowRef } }) =>
  moveUser(context, params.id, 'disable')
export const enable = (context: UseCaseContext, { params }: { params: { id: RowRef } }) =>
  moveUser(context, params.id, 'enable')

export const remove: UseCase<typeof deleteUser> = async (context, { params }) => {
  await moveUser(context, params.id, 'remove')
  return { status: 204, body: null }
}

const operations = { enable: 'enable', disable: 'disable', remove: 'delete' } as const

async function moveUser(
  context: UseCaseContext,
  id: RowRef,
  step: Exclude<UserAction, 'activatemail'>,
): Promise<UseCaseResponse<UserRow & { id: number }>> {
  const userBefore = await lockOwnUser(context, id)
  // The version is checked first: if another user took the same action, the caller gets the current row, and not the problem of a wrong
  // status.
  await requireUserVersion(context, userBefore)
  const refusalCode = getUserActionRefusal(step, userBefore, { isSelf: userBefore.id === context.caller.userId })
  if (refusalCode) throw new ProblemError(refusalCode)
  const status = statusAfterUserAction[step]
  await requireRemainingAdmin(context, userBefore, { ...userBefore, status })
  const result = await storeUser(context, userBefore, { status }, operations[step])
  if (step !== 'enable') {
    // The new status is enough to refuse the next request. The sessions are ended so that they do not work again if the user is enabled.
    await endAllSessions(context.db, userBefore.id, context.now, step === 'disable' ? 'disabled' : 'deleted')
    if (step === 'remove') await deleteNotificationsOf(context.db, userBefore.id)
    context.afterCommit(() => announceEndedSessions(context.app))
    logUserEvent(context, step === 'disable' ? 'user_disabled' : 'user_deleted', userBefore.id)
  }
  return result
}

/** Stores the fields of a locked row. Without a change, the row and its version stay the same. */
export async function storeUser(
  context: UseCaseContext,
  userBefore: users.UserRecord,
  fields: users.UserChange,
  operation: string,
): Promise<UseCaseResponse<UserRow & { id: number }>> {
  const { db, now } = context
  if (Object.keys(fields).length === 0) {
    context.setResultRow('user', userBefore.id, userBefore.row_version)
    return { body: toUserRow(context.app, userBefore) }
  }
  const userAfter = await users.updateUser(db, userBefore, { ...fields, update_time: now })
  return finishUserWrite(context, userAfter, operation, userBefore)
}

async function finishUserWrite(
  context: UseCaseContext,
  record: users.UserRecord,
  operation: string,
  userBefore: users.UserRecord | null,
): Promise<UseCaseResponse<UserRow & { id: number }>> {
  const { id } = record
  context.setResultRow('user', id, record.row_version)
  await context.audit({
    code: 'user',
    operation,
    info: { CompanyName: record.company_name, UserName: record.name, UserEmail: record.email, UserId: id },
    changes: findFieldChanges(userBefore && toUserFacts(userBefore), toUserFacts(record), userFacts),
  })
  context.afterCommit(() => announceAccount(context.app, { companyId: record.company_id, userId: id }))
  return { body: toUserRow(context.app, record) }
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

/** Returns facts for an audit entry. They contain neither the password nor a key, and only whether there is a picture. */
const toUserFacts = ({ orders, avatar, ...facts }: users.UserRecord) => ({
  ...facts,
  order: orders,
  avatar: avatar !== null,
})

function logUserEvent(
  { app, caller, requestId }: UseCaseContext,
  event: 'role_changed' | 'user_disabled' | 'user_deleted',
  id: number,
) {
  logSecurityEvent(app.log, event, { user: caller.userId, tenant: caller.companyId, about: id, request: requestId })
}
