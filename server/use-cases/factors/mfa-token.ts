/**
 * The right to a second step, and to changing factors: made by a password step or by a signed-in user, good for minutes, for one
 * success, and only while the account and its password stay as they were.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Method, SecondStep } from '#contract/factors.ts'
import { PROVIDER } from '#domain/access.ts'
import { type Credential, credentialOf, stillHolds } from '#server/db/accounts/credentials.ts'
import { countRecoveryCodes, type Factor, factorsOf } from '#server/db/accounts/factors.ts'
import type { Handle } from '#server/db/handle.ts'
import {
  hashMfaToken,
  insertMfaToken,
  type MfaToken,
  mfaTokenForUpdate,
  findMfaToken,
} from '#server/db/accounts/mfa-tokens.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { newChallenge, requestOptions } from '#server/use-cases/factors/passkeys.ts'

const minuteMs = 60_000
/** `enrol` leaves time to install an app. */
const lives = { step: 5 * minuteMs, enrol: 15 * minuteMs, change: 10 * minuteMs }

const over = () => new ProblemError('MFA_EXPIRED')

export type Requirement = 'provider' | 'company' | null

/** Why this account must have a second factor. */
export function requirementOf({
  companyCode,
  demo,
  companyRequiresFactor,
}: Pick<Credential, 'companyCode' | 'demo' | 'companyRequiresFactor'>): Requirement {
  if (companyCode === PROVIDER && !demo) return 'provider'
  return companyRequiresFactor ? 'company' : null
}

interface Opening {
  who: Credential
  passwordHash: string
  now: number
}

/** After a right password: what is still needed to come in; null: nothing. */
export async function demandFactor(db: Handle, app: AppContext, opening: Opening): Promise<SecondStep | null> {
  const factors = await factorsOf(db, opening.who.userId)
  const enrol = factors.length === 0
  if (enrol && requirementOf(opening.who) === null) return null
  const lifeMs = enrol ? lives.enrol : lives.step
  return { ...(await open(db, app, { ...opening, factors, lifeMs, sessionId: null })), enrol }
}

/** For a signed-in user who wants to change their factors: nothing may be changed before they have proved themselves. */
export async function openChange(db: Handle, app: AppContext, opening: Opening & { sessionId: string }) {
  const factors = await factorsOf(db, opening.who.userId)
  const opened = await open(db, app, { ...opening, factors, lifeMs: lives.change })
  return { ...opened, methods: ['password' as const, ...opened.methods] }
}

async function open(
  db: Handle,
  app: AppContext,
  { who, passwordHash, now, factors, lifeMs, sessionId }: Opening & OpeningMore,
) {
  const token = randomBytes(32).toString('base64url')
  const challenge = newChallenge()
  const { userId, companyId } = who
  await insertMfaToken(db, {
    hash: hashMfaToken(token),
    user_id: userId,
    company_id: companyId,
    session_id: sessionId,
    password_print: printOf(passwordHash),
    challenge,
    pending: null,
    proven: null,
    until: now + lifeMs,
    done: null,
  })
  const methods = methodsOf(factors, await countRecoveryCodes(db, userId))
  const passkey = requestOptions(app.config, factors, challenge)
  return { mfa_token: token, expires_in: lifeMs / 1000, methods, passkey }
}

interface OpeningMore {
  factors: readonly Factor[]
  lifeMs: number
  sessionId: string | null
}

const methodsOf = (factors: readonly Factor[], codes: number): Method[] => [
  ...(factors.some(({ kind }) => kind === 'totp') ? ['otp' as const] : []),
  ...(factors.some(({ kind }) => kind === 'passkey') ? ['assertion' as const] : []),
  ...(factors.length > 0 && codes > 0 ? ['recovery_code' as const] : []),
]

const printOf = (passwordHash: string) => createHash('sha256').update(passwordHash).digest('hex')

/** Whose it is: of a sign-in, or of one session. */
export type Holder = { kind: 'stranger' } | { kind: 'user'; userId: number; sessionId: string | null }

export interface Held {
  proof: MfaToken
  who: Credential
  passwordHash: string
}

const belongs = (proof: MfaToken, holder: Holder) =>
  holder.kind === 'stranger'
    ? proof.session_id === null
    : proof.user_id === holder.userId && proof.session_id !== null && proof.session_id === holder.sessionId

/** Throws MFA_EXPIRED where it is spent, over, somebody else's, or of a password that is none any more. */
export async function readMfaToken(db: Handle, token: string, holder: Holder, now: number): Promise<Held> {
  return held(db, await findMfaToken(db, token, now), holder)
}

/** As `readMfaToken`, with its row and the account's locked until the commit. */
export async function lockMfaToken(db: Handle, token: string, holder: Holder, now: number): Promise<Held> {
  const found = await held(db, await mfaTokenForUpdate(db, token, now), holder)
  if (!(await stillHolds(db, found.who.userId, found.passwordHash))) throw over()
  return found
}

async function held(db: Handle, proof: MfaToken | null, holder: Holder): Promise<Held> {
  if (!proof || !belongs(proof, holder)) throw over()
  const who = await credentialOf(db, proof.user_id)
  const passwordHash = who?.passwordHash ?? null
  if (!who || passwordHash === null || printOf(passwordHash) !== proof.password_print) throw over()
  return { proof, who, passwordHash }
}
