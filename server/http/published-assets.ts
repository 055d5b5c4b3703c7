/**
 * Serves files of client builds that are not in this server's own folder: pages of an earlier build, and during a rolling upgrade pages of a
 * newer one, load their code from any node.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { extname } from 'node:path'
import type { HttpContext } from '#server/http/http-context.ts'
import { createUnavailableProblem } from '#server/problems/problem-error.ts'
import { assetsPath, immutableCacheControl } from '#server/http/static-files.ts'

const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Returns null if no build has this file. Throws UNAVAILABLE if the database or the file store cannot be read. */
export async function sendPublishedAsset(
  { assets, app }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): Promise<FastifyReply | null> {
  const type = contentTypes[extname(path)]
  const asset = type ? await assets.find(path.slice(assetsPath.length)) : null
  if (!type || !asset) return null
  const encoding = chooseEncoding(
    request.headers['accept-encoding'],
    asset.variants.map((variant) => variant.encoding),
  )
  const variant = asset.variants.find((one) => one.encoding === encoding)
  if (!variant) return null
  try {
    const content = await asset.read(variant)
    if (!content) return null
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply
      .code(200)
      .header('cache-control', immutableCacheControl)
      .header('vary', 'accept-encoding')
      .type(type)
      .send(content)
  } catch (error) {
    app.log.warn(
      { event: 'client_asset_unreadable', path, err: error },
      'could not read a file of another client build',
    )
    throw createUnavailableProblem(5)
  }
}

/** Returns the best encoding that the client accepts (RFC 9110, 12.5.3). Without any, `identity`. */
export function chooseEncoding<const T extends string>(
  header: string | undefined,
  available: readonly T[],
): T | 'identity' {
  const accepted = new Map(
    (header ?? '').split(',').map((part): [string, number] => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      const quality = parameters.find((text) => text.startsWith('q='))
      return [name, quality === undefined ? 1 : Number(quality.slice(2))]
    }),
  )
  const isAccepted = (name: string) => (accepted.get(name) ?? accepted.get('*') ?? 0) > 0
  return (
    available.find((name) => name === 'br' && isAccepted(name)) ??
    available.find((name) => name === 'gzip' && isAccepted(name)) ??
    'identity'
  )
}
