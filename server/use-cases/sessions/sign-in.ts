/**
 * Signs in by password (K-20, S-26 to S-34). Neither response nor duration reveals whether company, user or password was wrong. Details
 * about an account are returned only after a correct password.
 */
import { randomUUID } from 'node:crypto'
import { PROVIDER } from '#domain/access.ts'
import { normaliseText } from '#domain/text.ts'
import { type Language, userStatus } from '#domain/accounts/users.ts'
import {
  type UserCredential,
  findCredential,
  lockIfPasswordCurrent,
  storePasswordHash,
} from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { addSession, addToken, endSession, findTokenByRefreshHash } from '#server/db/accounts/tokens.ts'
import { insertSealKey } from '#server/db/accounts/seal-keys.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { type DeviceSource, recordSignInDevice, isOwnDevice } from '#server/use-cases/sessions/new-device-mail.ts'
import type { HashingQueuePosition } from '#server/use-cases/hashing-queue.ts'
import {
  hashPassword,
  withQueuePosition,
  isOutdatedHash,
  unknownCaller,
  matchPassword,
} from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { updatePreferredLanguage } from '#server/use-cases/accounts/preferred-language.ts'
import { requireSecondStep } from '#server/use-cases/factors/mfa-token.ts'
import { createSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { countFailedSignInAttempt } from '#server/use-cases/sessions/failed-sign-ins.ts'
import {
  forgiveGuesses,
  reserveGuess,
  type GuessLimits,
  getPasswordLimits,
} from '#server/use-cases/sessions/sign-in-limits.ts'
import { createRandomPair, hashToken, type TokenPair } from '#server/use-cases/sessions/tokens.ts'

export interface SignInClientDevice extends DeviceSource {
  requestId: string
  /** The language of the client's pages, or null if the client did not send it. */
  language: Language | null
}

/** A valid token pair, and the remaining lifetimes in seconds. */
export interface SessionGrant {
  tokens: TokenPair
  userId: number
  accessSeconds: number
  refreshSeconds: number
  /** Device cookie for the browser, or null if no cookie is to be set. */
  device: string | null
}

const createUnknownAccountError = () => new ProblemError('invalid_grant')

/**
 * `username` is `company:e-mail`. The new session ends that of `olderRefreshToken`. Throws MFA_REQUIRED if a second step is needed,
 * invalid_grant, RATE_LIMITED, and the problems of an inactive account.
 */
export async function signInByPassword(
  app: AppContext,
  input: { username: string; password: string; olderRefreshToken: string | null },
  device: SignInClientDevice,
): Promise<SessionGrant> {
  const now = app.clock()
  const { companyCode, email } = splitUsername(input.username)
  const knownUserId = await findDeviceOwner(app, companyCode, email, device.cookie)
  const guessLimits = getPasswordLimits(companyCode, email, { address: device.address, isKnown: knownUserId !== null })
  const hashingCaller = knownUserId === null ? unknownCaller : ({ kind: 'known', userId: knownUserId } as const)
  const verifyPassword = (position: HashingQueuePosition) =>
    verifyByPassword(app, { companyCode, email, ...input }, { guessLimits, position, device, now })
  const { credential, passwordHash, renewedHash } = await withQueuePosition(hashingCaller, verifyPassword)
  const { step: secondStep, startedSession } = await writeAsSystem(app, async (db) => {
    // The user is read again under a lock: they may have been disabled or have changed the password in the meantime (S-21, S-44).
    if (!(await lockIfPasswordCurrent(db, credential.userId, passwordHash))) throw createUnknownAccountError()
    if (renewedHash) await storePasswordHash(db, credential.userId, renewedHash)
    await forgiveGuesses(db, guessLimits, now)
    const requiredStep = await requireSecondStep(db, app, {
      credential,
      passwordHash: renewedHash ?? passwordHash,
      now,
    })
    return {
      step: requiredStep,
      startedSession: requiredStep
        ? null
        : await beginSession(db, app, credential, { olderRefreshToken: input.olderRefreshToken, device, now }),
    }
  })
  if (startedSession === null) throw new ProblemError('MFA_REQUIRED', secondStep)
  return finishSignIn(app, credential, startedSession, device)
}

/** Returns the user's id if the browser is a known device of this user, otherwise null. */
async function findDeviceOwner(app: AppContext, companyCode: string, email: string, cookie: string | null) {
  if (cookie === null) return null
  return writeAsSystem(app, async (db) => {
    const credential = await findCredential(db, companyCode.toLowerCase(), normaliseText(email))
    const isKnown = await isOwnDevice(db, credential?.userId ?? null, cookie)
    return credential && isKnown ? credential.userId : null
  })
}

interface PasswordInput {
  companyCode: string
  email: string
  password: string
}

interface VerifyContext {
  guessLimits: GuessLimits
  position: HashingQueuePosition
  device: SignInClientDevice
  now: number
}

async function verifyByPassword(
  app: AppContext,
  input: PasswordInput,
  { guessLimits, position, device, now }: VerifyContext,
) {
  const { companyCode, email, password } = input
  const eventFields = { account: guessLimits.account.subject, request: device.requestId }
  try {
    await reserveGuess(app, guessLimits, now, position)
  } catch (error) {
    logSecurityEvent(app.log, 'login_throttled', eventFields)
    throw error
  }
  const credential = await writeAsSystem(app, (db) =>
    findCredential(db, companyCode.toLowerCase(), normaliseText(email)),
  )
  const cost = app.config.argon2
  const passwordHash = credential?.passwordHash ?? null
  const matchKind = await matchPassword(passwordHash, password, { cost, position })
  if (matchKind === null || !credential || passwordHash === null) {
    logSecurityEvent(app.log, 'login_failed', eventFields)
    await countFailedSignInAttempt(app, credential?.userId ?? null, device.address, now)
    throw createUnknownAccountError()
  }
  if (credential.status !== userStatus.activated)
    await countFailedSignInAttempt(app, credential.userId, device.address, now)
  requireActive(credential)
  const renewedHash =
    matchKind === 'as typed' || isOutdatedHash(passwordHash, cost) ? await hashPassword(password, cost, position) : null
  return { credential, passwordHash, renewedHash }
}

interface BeginSessionOptions {
  olderRefreshToken: string | null
  device: SignInClientDevice
  now: number
  factor?: string
}

export interface StartedSession {
  grant: SessionGrant
  isMailed: boolean
}

/** Starts the session after all checks, in the transaction of the last check. */
export async function beginSession(
  db: DatabaseHandle,
  app: AppContext,
  credential: UserCredential,
  { olderRefreshToken, device, now, factor }: BeginSessionOptions,
): Promise<StartedSession> {
  if (olderRefreshToken) await endOlderSession(db, olderRefreshToken, now)
  const { userId, companyId, userName } = credential
  const languageEntries = await updatePreferredLanguage(db, credential, device.language, now)
  const info = { UserName: userName, ...(factor ? { Factor: factor } : {}) }
  await addAuditEntries(db, { companyId, userId, now, status: 0, intent: null, requestId: device.requestId }, [
    { code: 'user', operation: 'login', info },
    ...languageEntries,
  ])
  const { cookie, isMailed } = await recordSignInDevice(db, credential, device, now)
  return { grant: await openSession(db, app, credential, { ...device, cookie }, now), isMailed }
}

/** Must be called after the commit. */
export function finishSignIn(
  app: AppContext,
  credential: UserCredential,
  { grant, isMailed }: StartedSession,
  { requestId }: SignInClientDevice,
): SessionGrant {
  if (isMailed) notifyJobs(app)
  logSecurityEvent(app.log, 'login_succeeded', {
    user: credential.userId,
    tenant: credential.companyId,
    request: requestId,
  })
  return grant
}

export function splitUsername(username: string): { companyCode: string; email: string } {
  const separatorIndex = username.indexOf(':')
  return {
    companyCode: username.slice(0, Math.max(separatorIndex, 0)).trim(),
    email: username.slice(separatorIndex + 1).trim(),
  }
}

function requireActive({ status }: UserCredential): void {
  if (status === userStatus.deactivated) throw new ProblemError('USER_STATUS_DEACTIVATED')
  if (status !== userStatus.activated) throw new ProblemError('USER_STATUS_INVALID')
}

/** Ends the session whose cookie the sign-in request still contains (protocol 29). */
async function endOlderSession(db: DatabaseHandle, refresh: string, now: number): Promise<void> {
  const olderSession = await findTokenByRefreshHash(db, hashToken(refresh))
  if (olderSession) await endSession(db, olderSession.sessionId, now, 'replaced')
}

async function openSession(
  db: DatabaseHandle,
  app: AppContext,
  credential: UserCredential,
  device: SignInClientDevice,
  now: number,
): Promise<SessionGrant> {
  const { accessSeconds: access } = app.config.lifetimes
  const { idleSeconds, absoluteSeconds } = getLifetimes(app, credential.companyCode)
  const tokens = createRandomPair(credential.userId)
  const endTime = now + absoluteSeconds * 1000
  const refreshUntil = Math.min(now + idleSeconds * 1000, endTime)
  const accessUntil = Math.min(now + access * 1000, endTime)
  const id = randomUUID()
  const { userId, companyId } = credential
  const owner = { user_id: userId, company_id: companyId, create_time: now }
  const { address } = device
  const user_agent = device.userAgent.slice(0, 300)
  await addSession(db, { ...owner, id, last_time: now, end_time: endTime, user_agent, address })
  await insertSealKey(db, { userId, companyId, now, sessionId: id, key: createSealKey() })
  await addToken(db, {
    ...owner,
    session_id: id,
    refresh_hash: hashToken(tokens.refresh),
    access_hash: hashToken(tokens.access),
    parent_id: null,
    access_until: accessUntil,
    refresh_until: refreshUntil,
  })
  return { ...buildGrant(tokens, userId, accessUntil, refreshUntil, now), device: device.cookie }
}

export const getLifetimes = ({ config }: AppContext, companyCode: string) =>
  companyCode === PROVIDER ? config.lifetimes.provider : config.lifetimes.customer

export const buildGrant = (
  tokens: TokenPair,
  userId: number,
  accessUntil: number,
  refreshUntil: number,
  now: number,
): SessionGrant => ({
  tokens,
  userId,
  accessSeconds: Math.max(1, Math.floor((accessUntil - now) / 1000)),
  refreshSeconds: Math.max(1, Math.floor((refreshUntil - now) / 1000)),
  device: null,
})
