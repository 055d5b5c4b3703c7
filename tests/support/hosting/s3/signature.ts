/** Checks an AWS Signature Version 4 as a bucket does. Written from its documentation, without the SDK's code. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface AccessKey {
  accessKeyId: string
  secretAccessKey: string
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const maxSkewMs = 15 * 60_000

/** Returns the name of the error in S3, or null if the request was signed with that key just now. */
export function findSignatureError(request: IncomingMessage, key: AccessKey): string | null {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, keyId, day = '', region = '', names = '', signature = ''] =
    pattern.exec(request.headers.authorization ?? '') ?? []
  if (keyId === undefined) return 'AccessDenied'
  if (keyId !== key.accessKeyId) return 'InvalidAccessKeyId'
  const time = getHeader(request, 'x-amz-date')
  if (Math.abs(parseTime(time) - Date.now()) > maxSkewMs) return 'RequestTimeTooSkewed'
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(buildCanonicalRequest(request, names))].join('\n')
  const signingKey = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${key.secretAccessKey}`, day), region))
  const expected = hmac(signingKey, text)
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? null : 'SignatureDoesNotMatch'
}

export const getHeader = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? '')

const parseTime = (text: string) =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

function buildCanonicalRequest(request: IncomingMessage, names: string): string {
  const { pathname, search } = new URL(request.url ?? '/', 'http://bucket')
  const query = search
    .slice(1)
    .split('&')
    .filter(Boolean)
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .toSorted()
    .join('&')
  const headers = names.split(';').map((name) => `${name}:${getHeader(request, name).trim().replace(/ +/g, ' ')}\n`)
  return [request.method, pathname, query, headers.join(''), names, getHeader(request, 'x-amz-content-sha256')].join(
    '\n',
  )
}

/** Returns the name of the error in S3 if the body does not match the signed hash, otherwise null. A request without a hash is accepted. */
export function findBodyError(request: IncomingMessage, body: Buffer): string | null {
  const claimedHash = getHeader(request, 'x-amz-content-sha256')
  return /^[0-9a-f]{64}$/.test(claimedHash) && claimedHash !== sha256(body) ? 'XAmzContentSHA256Mismatch' : null
}
