/**
 * Runs the S3 server of the tests in a container in place of versitygw: at port 7070, with the keys of ROOT_ACCESS_KEY and ROOT_SECRET_KEY.
 * Each bucket is a server of its own behind this port. Objects are in memory.
 */
import { createServer, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http'
import { type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'

const accessKey = {
  accessKeyId: process.env.ROOT_ACCESS_KEY ?? '',
  secretAccessKey: process.env.ROOT_SECRET_KEY ?? '',
}
const buckets = new Map<string, S3Server>()

const missingBucket = '<Error><Code>NoSuchBucket</Code><Message>no such bucket</Message></Error>'

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://store')
  const [, name = '', key = ''] = /^\/([^/]*)\/?(.*)$/.exec(pathname) ?? []
  if (pathname === '/health') return void response.end('ok')
  if (request.method === 'PUT' && key === '') {
    if (!buckets.has(name)) buckets.set(name, await startS3({ bucket: name, accessKey }))
    return void response.end()
  }
  const bucket = buckets.get(name)
  if (!bucket) return void response.writeHead(404, { 'content-type': 'application/xml' }).end(missingBucket)
  // The Host header is signed, so it stays as it is.
  const forwarded = sendRequest(
    bucket.url + request.url,
    { method: request.method, headers: request.headers },
    (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(response)
    },
  )
  forwarded.on('error', () => response.destroy())
  request.pipe(forwarded)
}

createServer((request, response) => {
  respond(request, response).catch((error: unknown) => response.destroy(error as Error))
}).listen(7070)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0))
