/** A passkey without a browser: keys, CBOR and signatures as WebAuthn has them, and ways to get each of them wrong. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Passkey {
  id: string
  /** What `navigator.credentials.create` answers, as JSON. */
  made(challenge: string, at?: Partial<Place>): string
  /** What `navigator.credentials.get` answers, as JSON; counts by one each time. */
  signed(challenge: string, at?: Partial<Place>): string
  /** As a copy of the key would count. */
  setCounter(counter: number): void
}

interface Place {
  origin: string
  rpId: string
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

// The few shapes of CBOR that are needed: small numbers, texts, bytes, maps.
function head(major: number, size: number): Buffer {
  const type = major << 5
  if (size < 24) return Buffer.from([type | size])
  return size < 256 ? Buffer.from([type | 24, size]) : Buffer.from([type | 25, size >> 8, size & 255])
}
const int = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])
const bytes = (value: Uint8Array) => Buffer.concat([head(2, value.length), value])
const map = (...pairs: [Buffer, Buffer][]) => Buffer.concat([head(5, pairs.length), ...pairs.flat()])

const present = 0x01
const withCredential = 0x40

export function newPasskey(usual: Place): Passkey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0

  const cose = map(
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), bytes(Buffer.from(x, 'base64url'))],
    [int(-3), bytes(Buffer.from(y, 'base64url'))],
  )
  const count = () => {
    const four = Buffer.alloc(4)
    four.writeUInt32BE(counter)
    return four
  }
  const said = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const answer = (response: Record<string, unknown>) =>
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
    made(challenge, at = {}) {
      const { origin, rpId } = { ...usual, ...at }
      const size = Buffer.from([id.length >> 8, id.length & 255])
      const credential = Buffer.concat([Buffer.alloc(16), size, id, cose])
      const data = Buffer.concat([sha256(rpId), Buffer.from([present | withCredential]), count(), credential])
      const object = map([text('fmt'), text('none')], [text('attStmt'), map()], [text('authData'), bytes(data)])
      return answer({
        clientDataJSON: base64url(said('webauthn.create', challenge, origin)),
        attestationObject: base64url(object),
        transports: ['internal'],
      })
    },
    signed(challenge, at = {}) {
      const { origin, rpId } = { ...usual, ...at }
      counter += 1
      const client = said('webauthn.get', challenge, origin)
      const data = Buffer.concat([sha256(rpId), Buffer.from([present]), count()])
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return answer({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
      })
    },
  }
}
