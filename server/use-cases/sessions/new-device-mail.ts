/**
 * Mails a user about a sign-in from a new device. A browser is recognised by a random cookie, stored as a hash per user. A client without
 * cookies is recognised by its name and network.
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
  /** Null if the device has no cookie yet. */
  cookie: string | null
  /** True for a browser. Any other client is recognised by its name. */
  storesCookies: boolean
}

export interface SignInDeviceRecord {
  cookie: string | null
  isMailed: boolean
}

const hourMs = 3_600_000
/**
 * Maximum number of mails per hour, so that somebody who knows the password cannot flood the mailbox. The first mails are warning enough.
 */
const maxMails = 3

/** Runs in the transaction of the sign-in. The first device of a user causes no mail. */
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
 * Whether the browser is a known device of the user. Returns false without a cookie, because any client can claim the same name. With
 * `userId` null the query still runs, so that the duration does not reveal whether the user exists (S-32).
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
