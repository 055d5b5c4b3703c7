/** A push service as browsers use it (RFC 8030): verifies the sender's token (RFC 8292) and decrypts messages (RFC 8188, RFC 8291). */
import { execFileSync } from 'node:child_process'
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ReceivedPush {
  path: string
  content: unknown
  headers: IncomingHttpHeaders
  claims: { aud: string; exp: number; sub: string }
}

export interface PushService {
  url: string
  certificate: string
  /** Keys of the browser, as it sends them to the portal. */
  browserKeys: { p256dh: string; auth: string }
  received: ReceivedPush[]
  /** Responses to the next requests, before 201. */
  responses: { status: number; headers?: Record<string, string> }[]
  close: () => Promise<void>
}

function createCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'push-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
    execFileSync('openssl', ['req', ...options, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export async function startPushService(getNow: () => number): Promise<PushService> {
  const { key, cert } = createCertificate()
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const received: ReceivedPush[] = []
  const responses: PushService['responses'] = []
  let url = ''
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    void readBody(incoming).then((body) => {
      const { status, headers } = responses.shift() ?? { status: 201 }
      try {
        const claims = verifySender(incoming.headers.authorization ?? '', url, getNow())
        const content: unknown = JSON.parse(decrypt(body, browser, auth))
        received.push({ path: incoming.url ?? '', content, headers: incoming.headers, claims })
        outgoing.writeHead(status, headers).end()
      } catch {
        outgoing.writeHead(403).end()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}`
  return {
    url,
    certificate: cert,
    browserKeys: { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') },
    received,
    responses,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Throws if the token is not signed by the key that it names, is for another service, or has expired. */
function verifySender(authorization: string, audience: string, now: number): ReceivedPush['claims'] {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [header = '', payload = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } })
  const text = Buffer.from(`${header}.${payload}`)
  if (!verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
    throw new Error('the signature is wrong')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as ReceivedPush['claims']
  const seconds = now / 1000
  if (claims.aud !== audience || claims.exp <= seconds || claims.exp > seconds + 86_400) throw new Error('wrong claims')
  return claims
}

function decrypt(body: Buffer, browser: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16)
  const keyLength = body.readUInt8(20)
  const senderKey = body.subarray(21, 21 + keyLength)
  const encrypted = body.subarray(21 + keyLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), senderKey])
  const keyMaterial = Buffer.from(hkdfSync('sha256', browser.computeSecret(senderKey), auth, info, 32))
  const derive = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', keyMaterial, salt, `Content-Encoding: ${name}\0`, length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(encrypted.subarray(-16))
  const padded = Buffer.concat([decipher.update(encrypted.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('the padding is wrong')
  return padded.subarray(0, end).toString()
}
