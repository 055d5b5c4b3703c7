/** Responds to malformed or too large HTTP (S-57) directly on the socket, because there is no request object yet. */
import type { ConnectionError } from 'fastify'
import type { Socket } from 'node:net'
import { dataPolicy } from '#server/http/security-headers.ts'
import { buildErrorBody } from '#server/problems/problem-body.ts'

const bodies = {
  malformed: JSON.stringify(buildErrorBody('VALIDATION_ERROR', null, 'en')),
  headersTooLarge: JSON.stringify(buildErrorBody('TOO_LARGE', null, 'en')),
}

export function sendClientError(error: ConnectionError, socket: Socket): void {
  // A reset connection cannot receive a response.
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const body = isTooLarge ? bodies.headersTooLarge : bodies.malformed
  const lines = [
    isTooLarge ? 'HTTP/1.1 431 Request Header Fields Too Large' : 'HTTP/1.1 400 Bad Request',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `content-security-policy: ${dataPolicy}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
