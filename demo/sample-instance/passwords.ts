/** Passwords as scrypt keeps them: `scrypt$N$salt$hash`, both in base64url. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** 16 MB and some 50 ms each; Node computes four at a time. */
const cost = 16_384
const bytes = 32
export const maxPassword = 200

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return ['scrypt', cost, salt.toString('base64url'), (await derive(password, salt)).toString('base64url')].join('$')
}

/** The same time for a user that does not exist or has no password (`null`). */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, , salt = '', hash = ''] = (stored ?? '').split('$')
  const expected = Buffer.alloc(bytes)
  Buffer.from(hash, 'base64url').copy(expected)
  const found = await derive(password, Buffer.from(salt, 'base64url'))
  return timingSafeEqual(found, expected) && stored !== null
}

const derive = (password: string, salt: Buffer) =>
  new Promise<Buffer>((done, failed) => {
    scrypt(password.normalize('NFC'), salt, bytes, { N: cost }, (error, key) => (error ? failed(error) : done(key)))
  })
