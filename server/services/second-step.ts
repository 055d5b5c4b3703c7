/** The second step of a sign-in: a code, a passkey or a recovery code, under the `mfa_token` of the password step (S-29, S-31). */
import { updateProof } from '#server/db/proofs.ts'
import { inScope } from '#server/db/scope.ts'
import type { House } from '#server/house.ts'
import { securityEvent } from '#server/log.ts'
import { ProblemError } from '#server/problem.ts'
import { type Evidence, type Weighed, weigh } from '#server/services/evidence.ts'
import { noteFactor } from '#server/services/factor-notes.ts'
import { ringForJobs } from '#server/services/jobs.ts'
import { type Held, holdProof, readProof } from '#server/services/proofs.ts'
import { comeIn, type Device, type Granted, welcome } from '#server/services/sign-in.ts'
import { factorTriedBy, forgive, reserve, type Tried } from '#server/services/throttle.ts'

const system = { role: 'portal_system' } as const
const stranger = { is: 'stranger' } as const
const recoveryUsed = { mail: 'recovery-used', field: 'recovery code', change: 'used' } as const

interface Asked {
  token: string
  given: Evidence
  older: string | null
}

/**
 * Throws MFA_EXPIRED where the password step is over, used up or of a password that was changed since; MFA_INVALID for what
 * does not fit or was used before; RATE_LIMITED.
 */
export async function signInBySecondFactor(house: House, asked: Asked, device: Device): Promise<Granted> {
  const now = house.clock()
  const before = await inScope(house, system, (db) => readProof(db, asked.token, stranger, now))
  const tried = factorTriedBy(before.who.userId, device.address)
  const weighed = await weighGiven(house, before, { asked, tried, device, now })
  const come = await inScope(house, system, async (db) => {
    const held = await holdProof(db, asked.token, stranger, now)
    if (weighed && !(await weighed.take(db))) return null
    await updateProof(db, held.proof, { done: now })
    if (weighed) await forgive(db, tried, now)
    // It may be a thief who found the sheet: its owner is told.
    if (weighed?.by === 'recovery code')
      await noteFactor(db, held.who, recoveryUsed, { now, requestId: device.requestId })
    const factor = weighed?.by ?? 'set up'
    return comeIn(db, house, held.who, { older: asked.older, device, now, factor })
  })
  const about = { user: before.who.userId, tenant: before.who.companyId, request: device.requestId }
  if (!come) throw refused(house, about)
  if (weighed?.by === 'recovery code') {
    ringForJobs(house)
    securityEvent(house.log, 'recovery code used', about)
  }
  return welcome(house, before.who, come, device)
}

interface Trying {
  asked: Asked
  tried: Tried
  device: Device
  now: number
}

/** Counted before it is looked at. Null: the first factor was set up under this very token, which proves as much. */
async function weighGiven(house: House, held: Held, { asked, tried, device, now }: Trying): Promise<Weighed | null> {
  const about = { user: held.who.userId, tenant: held.who.companyId, request: device.requestId }
  const isGiven = Object.values(asked.given).some(Boolean)
  if (!isGiven && held.proof.proven !== null) return null
  try {
    await reserve(house, tried, now)
  } catch (error) {
    securityEvent(house.log, 'second factor throttled', about)
    throw error
  }
  const weighed = await weigh(house, held, { ...asked.given, password: undefined }, now)
  if (!weighed) throw refused(house, about)
  return weighed
}

function refused(house: House, about: Record<string, string | number>): ProblemError {
  securityEvent(house.log, 'second factor failed', about)
  return new ProblemError('MFA_INVALID')
}
