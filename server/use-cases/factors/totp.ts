/** Codes of an authenticator app (RFC 6238): six digits, 30 seconds, one step of drift either way. */
import { Secret, TOTP } from 'otpauth'

const periodMs = 30_000
const drift = 1
const issuer = 'Service portal'

/** Base32, 160 bits. */
export const createTotpSecret = () => new Secret({ size: 20 }).base32

const createAuthenticator = (secret: string, label = '') =>
  new TOTP({ issuer, label, secret: Secret.fromBase32(secret), digits: 6, period: periodMs / 1000 })

/** What the QR code says. `account` names the account among the others in the app. */
export const buildTotpUri = (secret: string, account: string) => createAuthenticator(secret, account).toString()

/** The step whose code it is; null where it is none of those that may be given now. */
export function findTotpStep(secret: string, code: string, now: number): number | null {
  const token = code.replace(/\D/g, '')
  if (token.length !== 6) return null
  const delta = createAuthenticator(secret).validate({ token, timestamp: now, window: drift })
  return delta === null ? null : Math.floor(now / periodMs) + delta
}
