/**
 * Tells a user by mail of a sign-in from a device that they have not used before. A browser is known by a random cookie, of
 * which a hash is kept for each of its users; a client without cookies by what it calls itself and its network.
 */
import { randomBytes } from 'node:crypto'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import type { UserCredential } from '#server/db/accounts/credentials.ts'
import { isKnownDevice, recordDevice } from '#server/db/accounts/known-devices.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { parseUserAgent, maskAddress } from '#server/use-cases/sessions/user-agent.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

export interface DeviceSource {
  address: string
  userAgent: string
  /** The device's cookie, null where there is none yet. */
  cookie: string | null
  /** A browser; another client is told by what it calls itself. */
  storesCookies: boolean
}

export interface SignInDeviceRecord {
  /** What the browser is to keep. */
  cookie: string | null
  isMailed: boolean
}

const hourMs = 3_600_000
/** Whoever knows a password must not be able to fill a mail box: the first ones have said it. */
const maxMails = 3

/** In the transaction of the sign-in. The very first device of a user is told of to nobody. */
export async function recordSignInDevice(
  db: DatabaseHandle,
  credential: UserCredential,
  source: DeviceSource,
  now: number,
): Promise<SignInDeviceRecord> {
  const { userId, companyId } = credential
  const cookie = source.storesCookies ? (source.cookie ?? randomBytes(24).toString('base64url')) : null
  const clientName = cookie ?? `client ${source.userAgent} ${maskAddress(source.address)}`
  const deviceStatus = await recordDevice(db, { hash: hashDevice(userId, clientName), userId, companyId, now })
  return { cookie, isMailed: deviceStatus === 'new' && (await mailOwner(db, credential, source, now)) }
}

/**
 * Whether this user has signed in from the browser that holds the cookie. A client without one is nobody's: anybody can call
 * themselves the same. `userId` null: asked all the same, so that nobody learns by the time it takes who is there (S-32).
 */
export const isOwnDevice = async (db: DatabaseHandle, userId: number | null, cookie: string | null): Promise<boolean> =>
  cookie !== null && (await isKnownDevice(db, hashDevice(userId ?? 0, cookie)))

const hashDevice = (userId: number, clientName: string) => hashToken(`${userId} ${clientName}`)

async function mailOwner(
  db: DatabaseHandle,
  credential: UserCredential,
  { userAgent, address }: DeviceSource,
  now: number,
): Promise<boolean> {
  const { userId, companyId } = credential
  const limit = { subject: `mail of devices to ${userId}`, maxMails, windowMs: hourMs, now }
  if ((await countMail(db, limit)) !== null) return false
  const { browser, system } = parseUserAgent(userAgent)
  const device = { at: now, browser, system, network: maskAddress(address) }
  await requestMail(db, { companyId, now }, { mail: 'new-device', userId, device })
  return true
}
