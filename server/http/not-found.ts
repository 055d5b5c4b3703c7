/** Nothing stands at that address, or nothing for that method (S-54, S-79). The shell is for navigations alone. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, Method } from '#contract/endpoint.ts'
import { matcher } from '#contract/http-mapping.ts'
import { isApi, pathOf } from '#server/http/security-headers.ts'
import type { HttpContext } from '#server/http/context.ts'
import { isNavigation, sendShell } from '#server/http/static-files.ts'
import { notFound, ProblemError } from '#server/problems/problem-error.ts'

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE']

export function notFoundOrNotAllowed(http: HttpContext, endpoints: readonly Endpoint[]) {
  const match = matcher(endpoints)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = pathOf(request.url)
    const found: readonly string[] = methods.filter((method) => match(method, path))
    const allowed = found.includes('GET') ? ['GET', 'HEAD', ...found.filter((method) => method !== 'GET')] : found
    if (allowed.length > 0) throw notAllowed(reply, allowed)
    if (isApi(path)) throw notFound()
    if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed(reply, ['GET', 'HEAD'])
    if (isNavigation(request, path)) return sendShell(http, reply)
    throw notFound()
  }
}

function notAllowed(reply: FastifyReply, allowed: readonly string[]): ProblemError {
  reply.header('allow', allowed.join(', '))
  return new ProblemError('METHOD_NOT_ALLOWED')
}
