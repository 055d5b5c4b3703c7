/** Setting up a factor in two steps: what it is made with, then the proof that it was made. By a signed-in user, or during a sign-in. */
import type { FactorKind } from '#contract/factors.ts'
import { tidyText } from '#domain/text.ts'
import { countRecoveryCodes, type Factor, factorsOf, insertFactor } from '#server/db/accounts/factors.ts'
import type { Handle } from '#server/db/handle.ts'
import { updateMfaToken } from '#server/db/accounts/mfa-tokens.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { securityEvent } from '#server/context/log.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'
import { noteFactor } from '#server/use-cases/factors/factor-notices.ts'
import { openSecret, sealSecret } from '#server/use-cases/factors/factor-secrets.ts'
import { type Asking, giveCodes } from '#server/use-cases/factors/factors.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { checkAttestation, creationOptions, newChallenge, type NewPasskey } from '#server/use-cases/factors/passkeys.ts'
import { type Held, lockMfaToken, readMfaToken } from '#server/use-cases/factors/mfa-token.ts'
import { newSecret, stepOf, uriOf } from '#server/use-cases/factors/totp.ts'

const system = { role: 'portal_system' } as const
const maxFactors = 10

/** Throws STATE_CONFLICT during a sign-in of somebody who has one already, and for an eleventh. */
async function requireAllowed(db: Handle, { proof, who }: Held): Promise<Factor[]> {
  const factors = await factorsOf(db, who.userId)
  if (proof.session_id !== null && proof.proven === null) throw new ProblemError('MFA_EXPIRED')
  if (proof.session_id === null && factors.length > 0) throw new ProblemError('STATE_CONFLICT')
  if (factors.length >= maxFactors) throw new ProblemError('STATE_CONFLICT')
  return factors
}

/** Nothing is a factor yet: what is begun is kept with the proof, the secret sealed. */
export async function setUp(app: AppContext, { token, holder }: Asking, kind: FactorKind) {
  const now = app.clock()
  const secret = newSecret()
  const challenge = newChallenge()
  const { who, factors } = await inTransaction(app, system, async (db) => {
    const held = await lockMfaToken(db, token, holder, now)
    const factors = await requireAllowed(db, held)
    const pending = sealSecret(app.config, held.who.userId, secret)
    await updateMfaToken(db, held.proof, kind === 'totp' ? { pending } : { challenge })
    return { who: held.who, factors }
  })
  if (kind === 'passkey')
    return { totp: null, passkey: { ...(await creationOptions(app.config, who, { factors, challenge })) } }
  return { totp: { secret, uri: uriOf(secret, `${who.email} (${who.companyCode})`) }, passkey: null }
}

export interface Made {
  kind: FactorKind
  name: string
  otp?: string | undefined
  attestation?: string | undefined
}

type Checked = Pick<Factor, 'secret' | 'last_step'> & NewPasskey
const nothing: Checked = {
  secret: null,
  last_step: null,
  credential_id: null,
  public_key: null,
  counter: null,
  transports: null,
}

/** Answers the recovery codes where these are the first. Throws MFA_INVALID for a wrong code or a foreign passkey. */
export async function add(app: AppContext, { token, holder, requestId }: Asking, made: Made): Promise<string[] | null> {
  const now = app.clock()
  const name = tidyText(made.name)
  if (name === '') throw invalid([{ field: 'name', code: 'REQUIRED' }])
  const before = await inTransaction(app, system, (db) => readMfaToken(db, token, holder, now))
  const checked = made.kind === 'totp' ? checkCode(app, before, made.otp, now) : await checkKey(app, before, made)
  if (!checked) throw new ProblemError('MFA_INVALID')
  const codes = await inTransaction(app, system, async (db) => {
    const held = await lockMfaToken(db, token, holder, now)
    await requireAllowed(db, held)
    const { who, proof } = held
    const { userId, companyId } = who
    const whose = { user_id: userId, company_id: companyId }
    await insertFactor(db, { ...checked, ...whose, kind: made.kind, name, create_time: now, last_time: null })
    // A code of the app has been given just now; of a sign-in that is the second step.
    await updateMfaToken(db, proof, { pending: null, challenge: newChallenge(), proven: now })
    const field = made.kind === 'totp' ? 'authenticator app' : 'passkey'
    await noteFactor(db, who, { mail: 'factor-added', field, change: 'added' }, { now, requestId })
    return (await countRecoveryCodes(db, userId)) > 0 ? null : await giveCodes(db, who)
  })
  notifyJobs(app)
  const { userId, companyId } = before.who
  securityEvent(app.log, 'second factor added', { user: userId, tenant: companyId, request: requestId })
  return codes
}

/** The code that sets it up is used up by that. */
function checkCode(
  { config }: AppContext,
  { proof, who }: Held,
  code: string | undefined,
  now: number,
): Checked | null {
  if (!code) throw invalid([{ field: 'otp', code: 'REQUIRED' }])
  const secret = proof.pending === null ? null : openSecret(config, who.userId, proof.pending)
  const step = secret === null ? null : stepOf(secret, code, now)
  return step === null ? null : { ...nothing, secret: proof.pending, last_step: step }
}

async function checkKey({ config }: AppContext, { proof }: Held, { attestation }: Made): Promise<Checked | null> {
  if (!attestation) throw invalid([{ field: 'attestation', code: 'REQUIRED' }])
  const passkey = await checkAttestation(config, { attestation, challenge: proof.challenge })
  return passkey && { ...nothing, ...passkey }
}
