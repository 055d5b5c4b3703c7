/** Handles unknown paths and unsupported methods (S-54, S-79). A browser that opens a page of the client gets the app shell. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HttpMethod } from '#contract/endpoint.ts'
import { createEndpointMatcher } from '#contract/http-mapping.ts'
import { isApi, getPath } from '#server/http/security-headers.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import { assetsPath, isNavigation, sendPublishedAsset, sendShell } from '#server/http/static-files.ts'
import { createNotFoundProblem, ProblemError } from '#server/problems/problem-error.ts'

const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'DELETE']

export function createNotFoundHandler(http: HttpContext, endpoints: readonly Endpoint[]) {
  const match = createEndpointMatcher(endpoints)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = getPath(request.url)
    const matchingMethods: readonly string[] = methods.filter((method) => match(method, path))
    const allowedMethods = matchingMethods.includes('GET')
      ? ['GET', 'HEAD', ...matchingMethods.filter((method) => method !== 'GET')]
      : matchingMethods
    if (allowedMethods.length > 0) throw createNotAllowedProblem(reply, allowedMethods)
    if (isApi(path)) throw createNotFoundProblem()
    if (request.method !== 'GET' && request.method !== 'HEAD') throw createNotAllowedProblem(reply, ['GET', 'HEAD'])
    if (isNavigation(request, path)) return sendShell(http, reply)
    const assetReply = path.startsWith(assetsPath) ? await sendPublishedAsset(http, request, reply, path) : null
    if (assetReply) return assetReply
    throw createNotFoundProblem()
  }
}

function createNotAllowedProblem(reply: FastifyReply, allowedMethods: readonly string[]): ProblemError {
  reply.header('allow', allowedMethods.join(', '))
  return new ProblemError('METHOD_NOT_ALLOWED')
}
