/**
 * Tells a user by mail of a sign-in from a device that they have not used before. A browser is known by a random cookie, of
 * which a hash is kept for each of its users; a client without cookies by what it calls itself and its network.
 */
import { randomBytes } from 'node:crypto'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import type { Credential } from '#server/db/accounts/credentials.ts'
import { isDevice, meetDevice } from '#server/db/accounts/known-devices.ts'
import type { Handle } from '#server/db/handle.ts'
import { deviceWords, networkOf } from '#server/use-cases/sessions/user-agent.ts'
import { askMail } from '#server/use-cases/mail/request-mail.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'

export interface From {
  address: string
  userAgent: string
  /** The device's cookie, null where there is none yet. */
  cookie: string | null
  /** A browser; another client is told by what it calls itself. */
  keepsCookies: boolean
}

export interface Greeted {
  /** What the browser is to keep. */
  cookie: string | null
  isMailed: boolean
}

const hourMs = 3_600_000
/** Whoever knows a password must not be able to fill a mail box: the first ones have said it. */
const maxMails = 3

/** In the transaction of the sign-in. The very first device of a user is told of to nobody. */
export async function greetDevice(db: Handle, who: Credential, from: From, now: number): Promise<Greeted> {
  const { userId, companyId } = who
  const cookie = from.keepsCookies ? (from.cookie ?? randomBytes(24).toString('base64url')) : null
  const called = cookie ?? `client ${from.userAgent} ${networkOf(from.address)}`
  const met = await meetDevice(db, { hash: hashOf(userId, called), userId, companyId, now })
  return { cookie, isMailed: met === 'new' && (await tellOwner(db, who, from, now)) }
}

/**
 * Whether this user has signed in from the browser that holds the cookie. A client without one is nobody's: anybody can call
 * themselves the same. `userId` null: asked all the same, so that nobody learns by the time it takes who is there (S-32).
 */
export const isOwnDevice = async (db: Handle, userId: number | null, cookie: string | null): Promise<boolean> =>
  cookie !== null && (await isDevice(db, hashOf(userId ?? 0, cookie)))

const hashOf = (userId: number, called: string) => hashToken(`${userId} ${called}`)

async function tellOwner(db: Handle, who: Credential, { userAgent, address }: From, now: number): Promise<boolean> {
  const { userId, companyId } = who
  const counted = { subject: `mail of devices to ${userId}`, most: maxMails, spanMs: hourMs, now }
  if ((await countMail(db, counted)) !== null) return false
  const { browser, system } = deviceWords(userAgent)
  const device = { at: now, browser, system, network: networkOf(address) }
  await askMail(db, { companyId, now }, { mail: 'new-device', userId, device })
  return true
}
