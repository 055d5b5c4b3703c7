/** Simulates a passkey without a browser: keys, CBOR and signatures as WebAuthn defines them, and options to make each of them invalid. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Passkey {
  id: string
  /** Returns the result of `navigator.credentials.create` as JSON. */
  register(challenge: string, overrides?: Partial<RelyingParty>): string
  /** Returns the result of `navigator.credentials.get` as JSON. Increments the counter. */
  sign(challenge: string, overrides?: Partial<RelyingParty>): string
  /** Sets the counter, as using a copy of the key would. */
  setCounter(counter: number): void
}

interface RelyingParty {
  origin: string
  rpId: string
}

const base64url = (input: Uint8Array) => Buffer.from(input).toString('base64url')
const sha256 = (input: Uint8Array | string) => createHash('sha256').update(input).digest()

// Encodes the kinds of CBOR values that are needed: small numbers, texts, bytes, maps.
function encodeHead(major: number, size: number): Buffer {
  const type = major << 5
  if (size < 24) return Buffer.from([type | size])
  return size < 256 ? Buffer.from([type | 24, size]) : Buffer.from([type | 25, size >> 8, size & 255])
}
const encodeInt = (value: number) => (value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value))
const encodeText = (value: string) => Buffer.concat([encodeHead(3, value.length), Buffer.from(value)])
const encodeBytes = (value: Uint8Array) => Buffer.concat([encodeHead(2, value.length), value])
const encodeMap = (...pairs: [Buffer, Buffer][]) => Buffer.concat([encodeHead(5, pairs.length), ...pairs.flat()])

const userPresentFlag = 0x01
const credentialFlag = 0x40

export function newPasskey(relyingParty: RelyingParty): Passkey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0

  const cose = encodeMap(
    [encodeInt(1), encodeInt(2)],
    [encodeInt(3), encodeInt(-7)],
    [encodeInt(-1), encodeInt(1)],
    [encodeInt(-2), encodeBytes(Buffer.from(x, 'base64url'))],
    [encodeInt(-3), encodeBytes(Buffer.from(y, 'base64url'))],
  )
  const count = () => {
    const counterBytes = Buffer.alloc(4)
    counterBytes.writeUInt32BE(counter)
    return counterBytes
  }
  const buildClientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const toResponse = (response: Record<string, unknown>) =>
    JSON.stringify({
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    })

  return {
    id: base64url(id),
    setCounter: (value) => {
      counter = value
    },
    register(challenge, overrides = {}) {
      const { origin, rpId } = { ...relyingParty, ...overrides }
      const size = Buffer.from([id.length >> 8, id.length & 255])
      const credential = Buffer.concat([Buffer.alloc(16), size, id, cose])
      const data = Buffer.concat([sha256(rpId), Buffer.from([userPresentFlag | credentialFlag]), count(), credential])
      const object = encodeMap(
        [encodeText('fmt'), encodeText('none')],
        [encodeText('attStmt'), encodeMap()],
        [encodeText('authData'), encodeBytes(data)],
      )
      return toResponse({
        clientDataJSON: base64url(buildClientData('webauthn.create', challenge, origin)),
        attestationObject: base64url(object),
        transports: ['internal'],
      })
    },
    sign(challenge, overrides = {}) {
      const { origin, rpId } = { ...relyingParty, ...overrides }
      counter += 1
      const client = buildClientData('webauthn.get', challenge, origin)
      const data = Buffer.concat([sha256(rpId), Buffer.from([userPresentFlag]), count()])
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return toResponse({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
      })
    },
  }
}
