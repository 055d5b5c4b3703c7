/** Encrypts push messages (RFC 8291, RFC 8188) and signs the sender's token (VAPID, RFC 8292). */
import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto'

const curve = 'prime256v1'
const recordSize = 4096

export interface PushKeys {
  /** P-256, as base64url: the private scalar, and the uncompressed public point. */
  privateKey: string
  publicKey: string
}

/** Derives the key pair of an installation from its secret. Every node derives the same one. */
export function derivePushKeys(secret: Buffer): PushKeys {
  for (let round = 0; ; round++) {
    const ecdh = createECDH(curve)
    try {
      ecdh.setPrivateKey(Buffer.from(hkdfSync('sha256', secret, '', `push key ${round}`, 32)))
    } catch {
      // One value in four thousand millions is not a private key.
      continue
    }
    return { privateKey: toPaddedKey(ecdh.getPrivateKey()), publicKey: ecdh.getPublicKey('base64url') }
  }
}

const toPaddedKey = (key: Buffer) => Buffer.concat([Buffer.alloc(32 - key.length), key]).toString('base64url')

export interface BrowserKeys {
  p256dh: string
  auth: string
}

/** Returns whether the keys can encrypt a message: a point of the curve, and a secret of 16 bytes. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url')
  if (point.length !== 65 || Buffer.from(auth, 'base64url').length !== 16) return false
  const ecdh = createECDH(curve)
  ecdh.generateKeys()
  try {
    ecdh.computeSecret(point)
    return true
  } catch {
    return false
  }
}

/** Returns the body of the request, with the content encoding `aes128gcm`. */
export function encryptPush(text: string, { p256dh, auth }: BrowserKeys): Buffer {
  const browserKey = Buffer.from(p256dh, 'base64url')
  const ecdh = createECDH(curve)
  const ownKey = ecdh.generateKeys()
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browserKey, ownKey])
  const keyMaterial = hkdfSync('sha256', ecdh.computeSecret(browserKey), Buffer.from(auth, 'base64url'), info, 32)
  const salt = randomBytes(16)
  const derive = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', Buffer.from(keyMaterial), salt, `Content-Encoding: ${name}\0`, length))
  const cipher = createCipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  // The last record ends with the mark 2.
  const encrypted = [cipher.update(Buffer.concat([Buffer.from(text), Buffer.from([2])])), cipher.final()]
  const header = Buffer.alloc(5)
  header.writeUInt32BE(recordSize, 0)
  header.writeUInt8(ownKey.length, 4)
  return Buffer.concat([salt, header, ownKey, ...encrypted, cipher.getAuthTag()])
}

const tokenSeconds = 12 * 3600

/** Returns the header `authorization`: who sends, to which push service, and until when it is valid. `now` is epoch ms. */
export function createPushAuthorization(
  { privateKey, publicKey }: PushKeys,
  { audience, contact, now }: { audience: string; contact: string; now: number },
): string {
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: privateKey, x, y } })
  const toPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { aud: audience, exp: Math.floor(now / 1000) + tokenSeconds, sub: contact }
  const text = `${toPart({ typ: 'JWT', alg: 'ES256' })}.${toPart(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return `vapid t=${text}.${signature}, k=${publicKey}`
}
