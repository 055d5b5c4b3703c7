/**
 * Signing in by password (K-20, S-26 to S-34). Nothing in answer, work or time tells whether company, user or password was
 * wrong; what is the matter with an account is told only to who knows its password.
 */
import { randomUUID } from 'node:crypto'
import { PROVIDER } from '#domain/access.ts'
import { foldText } from '#domain/text.ts'
import { type Language, userStatus } from '#domain/accounts/users.ts'
import { type Credential, findCredential, stillHolds, storeHash } from '#server/db/accounts/credentials.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addSession, addToken, endSession, findByRefresh } from '#server/db/accounts/tokens.ts'
import { insertSealKey } from '#server/db/accounts/seal-keys.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { type From, greetDevice, isOwnDevice } from '#server/use-cases/sessions/new-device-mail.ts'
import type { Place } from '#server/use-cases/hashing-queue.ts'
import {
  hashPassword,
  withPlace,
  isOutdated,
  unknownAsker,
  matchPassword,
} from '#server/use-cases/accounts/password-hash.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { followLanguage } from '#server/use-cases/accounts/preferred-language.ts'
import { demandFactor } from '#server/use-cases/factors/mfa-token.ts'
import { newSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { noteFailure } from '#server/use-cases/sessions/failed-sign-ins.ts'
import { forgive, reserve, type Tried, triedBy } from '#server/use-cases/sessions/sign-in-limits.ts'
import { randomPair, hashToken, type Pair } from '#server/use-cases/sessions/tokens.ts'

export interface Device extends From {
  requestId: string
  /** In which it shows its pages; null where it does not say. */
  language: Language | null
}

/** A live pair, and how many seconds its two tokens still hold. */
export interface Granted {
  pair: Pair
  userId: number
  accessSeconds: number
  refreshSeconds: number
  /** What names the browser from now on; null where nothing is to be kept. */
  device: string | null
}

const system = { role: 'portal_system' } as const
const unknown = () => new ProblemError('invalid_grant')

/**
 * `username` is `company:e-mail`. `older`: the refresh token that this browser still holds; its family ends. Throws MFA_REQUIRED
 * with what the second step takes (sign-in-second-step.ts).
 */
export async function signInByPassword(
  app: AppContext,
  asked: { username: string; password: string; older: string | null },
  device: Device,
): Promise<Granted> {
  const now = app.clock()
  const { companyCode, email } = splitUsername(asked.username)
  const knownId = await ownerOf(app, companyCode, email, device.cookie)
  const tried = triedBy(companyCode, email, { address: device.address, isKnown: knownId !== null })
  const asker = knownId === null ? unknownAsker : ({ kind: 'known', userId: knownId } as const)
  const prove = (place: Place) => proveByPassword(app, { companyCode, email, ...asked }, { tried, place, device, now })
  const { found, passwordHash, renewed } = await withPlace(asker, prove)
  const { step, come } = await inTransaction(app, system, async (db) => {
    // Read again under a lock: whoever was disabled or had the password changed meanwhile does not come in (S-21, S-44).
    if (!(await stillHolds(db, found.userId, passwordHash))) throw unknown()
    if (renewed) await storeHash(db, found.userId, renewed)
    await forgive(db, tried, now)
    const step = await demandFactor(db, app, { who: found, passwordHash: renewed ?? passwordHash, now })
    return { step, come: step ? null : await comeIn(db, app, found, { older: asked.older, device, now }) }
  })
  if (come === null) throw new ProblemError('MFA_REQUIRED', step)
  return welcome(app, found, come, device)
}

/** Whose device the browser is, of the account that is named; null: a stranger's, as far as that account goes. */
async function ownerOf(app: AppContext, companyCode: string, email: string, cookie: string | null) {
  if (cookie === null) return null
  return inTransaction(app, system, async (db) => {
    const found = await findCredential(db, companyCode.toLowerCase(), foldText(email))
    const isKnown = await isOwnDevice(db, found?.userId ?? null, cookie)
    return found && isKnown ? found.userId : null
  })
}

interface Typed {
  companyCode: string
  email: string
  password: string
}

interface Trying {
  tried: Tried
  place: Place
  device: Device
  now: number
}

async function proveByPassword(app: AppContext, typed: Typed, { tried, place, device, now }: Trying) {
  const { companyCode, email, password } = typed
  const about = { account: tried.account.subject, request: device.requestId }
  try {
    await reserve(app, tried, now, place)
  } catch (error) {
    securityEvent(app.log, 'login throttled', about)
    throw error
  }
  const found = await inTransaction(app, system, (db) => findCredential(db, companyCode.toLowerCase(), foldText(email)))
  const cost = app.config.argon2
  const passwordHash = found?.passwordHash ?? null
  const fits = await matchPassword(passwordHash, password, { cost, place })
  if (fits === null || !found || passwordHash === null) {
    securityEvent(app.log, 'login failed', about)
    await noteFailure(app, found?.userId ?? null, device.address, now)
    throw unknown()
  }
  if (found.status !== userStatus.activated) await noteFailure(app, found.userId, device.address, now)
  requireActive(found)
  const renewed =
    fits === 'as typed' || isOutdated(passwordHash, cost) ? await hashPassword(password, cost, place) : null
  return { found, passwordHash, renewed }
}

interface Coming {
  older: string | null
  device: Device
  now: number
  /** The second factor that was given. */
  factor?: string
}

export interface Come {
  granted: Granted
  /** A mail tells of a device that was not used before. */
  isMailed: boolean
}

/** Everything has been proved: the session begins, in the transaction that saw to it. */
export async function comeIn(
  db: Handle,
  app: AppContext,
  who: Credential,
  { older, device, now, factor }: Coming,
): Promise<Come> {
  if (older) await endOlder(db, older, now)
  const { userId, companyId, userName } = who
  const changed = await followLanguage(db, who, device.language, now)
  const info = { UserName: userName, ...(factor ? { Factor: factor } : {}) }
  await addToTrail(db, { companyId, userId, now, status: 0, intent: null, requestId: device.requestId }, [
    { code: 'user', operation: 'login', info },
    ...changed,
  ])
  const { cookie, isMailed } = await greetDevice(db, who, device, now)
  return { granted: await openSession(db, app, who, { ...device, cookie }, now), isMailed }
}

/** What follows once it is committed. */
export function welcome(app: AppContext, who: Credential, { granted, isMailed }: Come, { requestId }: Device): Granted {
  if (isMailed) notifyJobs(app)
  securityEvent(app.log, 'login ok', { user: who.userId, tenant: who.companyId, request: requestId })
  return granted
}

export function splitUsername(username: string): { companyCode: string; email: string } {
  const at = username.indexOf(':')
  return { companyCode: username.slice(0, Math.max(at, 0)).trim(), email: username.slice(at + 1).trim() }
}

function requireActive({ status }: Credential): void {
  if (status === userStatus.deactivated) throw new ProblemError('USER_STATUS_DEACTIVATED')
  if (status !== userStatus.activated) throw new ProblemError('USER_STATUS_INVALID')
}

/** A password sign-in over an older session's cookie ends that session (protocol 29). */
async function endOlder(db: Handle, refresh: string, now: number): Promise<void> {
  const older = await findByRefresh(db, hashToken(refresh))
  if (older) await endSession(db, older.sessionId, now, 'replaced')
}

async function openSession(
  db: Handle,
  app: AppContext,
  who: Credential,
  device: Device,
  now: number,
): Promise<Granted> {
  const { access } = app.config.lifetimes
  const { idle, absolute } = lifetimesOf(app, who.companyCode)
  const pair = randomPair(who.userId)
  const endTime = now + absolute * 1000
  const refreshUntil = Math.min(now + idle * 1000, endTime)
  const accessUntil = Math.min(now + access * 1000, endTime)
  const id = randomUUID()
  const whose = { userId: who.userId, companyId: who.companyId, now }
  await addSession(db, { ...whose, id, endTime, userAgent: device.userAgent.slice(0, 300), address: device.address })
  await insertSealKey(db, { ...whose, sessionId: id, key: newSealKey() })
  await addToken(db, {
    ...whose,
    sessionId: id,
    refreshHash: hashToken(pair.refresh),
    accessHash: hashToken(pair.access),
    parentId: null,
    accessUntil,
    refreshUntil,
  })
  return { ...grantedOf(pair, who.userId, accessUntil, refreshUntil, now), device: device.cookie }
}

export const lifetimesOf = ({ config }: AppContext, companyCode: string) =>
  companyCode === PROVIDER ? config.lifetimes.provider : config.lifetimes.customer

export const grantedOf = (
  pair: Pair,
  userId: number,
  accessUntil: number,
  refreshUntil: number,
  now: number,
): Granted => ({
  pair,
  userId,
  accessSeconds: Math.max(1, Math.floor((accessUntil - now) / 1000)),
  refreshSeconds: Math.max(1, Math.floor((refreshUntil - now) / 1000)),
  device: null,
})
