/**
 * Runs the S3 server of the tests in a container in place of versitygw: at port 7070, with the keys of ROOT_ACCESS_KEY and ROOT_SECRET_KEY.
 * Each bucket is a server of its own behind this port. Objects are in memory.
 */
import { createServer, request as sendRequest } from 'node:http'
import { type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'

const accessKey = {
  accessKeyId: process.env.ROOT_ACCESS_KEY ?? '',
  secretAccessKey: process.env.ROOT_SECRET_KEY ?? '',
}
const buckets = new Map<string, S3Server>()

createServer(async (request, response) => {
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
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  forwarded.on('error', () => response.destroy())
  request.pipe(forwarded)
}).listen(7070)

const missingBucket = '<Error><Code>NoSuchBucket</Code><Message>no such bucket</Message></Error>'
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0))
