/** Serves the client under /saas/ and the public pages at /: known file types only (S-79, S-87, H-03, H-04). */
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { existsSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { workerPath } from '#server/http/security-headers.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import { chooseEncoding } from '#server/http/input/accept-encoding.ts'
import { createNotFoundProblem, createUnavailableProblem } from '#server/problems/problem-error.ts'

/** Path of the files with a hash in their name. */
export const assetsPath = '/saas/assets/'
const immutableCacheControl = 'public, max-age=31536000, immutable'

const servedExtensions = new Set([
  '.html',
  '.js',
  '.css',
  '.svg',
  '.png',
  '.ico',
  '.webp',
  '.jpg',
  '.woff2',
  '.webmanifest',
  '.txt',
])

/**
 * Returns how long a file may be cached. Files that show the latest build are revalidated; files with a hash never change. The public pages
 * are outside the worker's scope, so the browser's cache keeps them readable offline for a day.
 */
const getCacheControl = (path: string) =>
  path.startsWith(assetsPath)
    ? immutableCacheControl
    : lastingPath.test(path)
      ? 'public, max-age=86400'
      : path.endsWith('.html') || path === workerPath || path.endsWith('.webmanifest')
        ? 'no-cache'
        : 'public, max-age=3600'

/** Matches the public pages except the first, and their files, which they request with a digest (scripts/site.ts). */
const lastingPath = /^\/(?!index\.)[\w-]+\.(html|css|js)$/

export function serveStaticFiles(fastify: FastifyInstance, { settings }: HttpContext): void {
  fastify.get('/', async ({ url }, reply) => reply.redirect(`/index.html${getQuery(url)}`, 302))
  fastify.get('/saas', async ({ url }, reply) => reply.redirect(`/saas/${getQuery(url)}`, 302))
  if (existsSync(settings.dist)) {
    serveFolder(fastify, settings.dist, '/saas/')
    // These files never change, so they need no validators (L6: saves a hundred bytes per file).
    const assetOptions = { etag: false, lastModified: false, acceptRanges: false }
    if (existsSync(getAssetsFolder(settings.dist)))
      serveFolder(fastify, getAssetsFolder(settings.dist), assetsPath, assetOptions)
  }
  if (existsSync(settings.site)) serveFolder(fastify, settings.site, '/')
}

/** Returns the query with its question mark, to keep `?lang=` in a redirect. */
const getQuery = (url: string) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

const getAssetsFolder = (dist: string) => join(dist, 'assets')

function serveFolder(
  fastify: FastifyInstance,
  root: string,
  prefix: string,
  options: Partial<FastifyStaticOptions> = {},
): void {
  fastify.register(fastifyStatic, {
    ...options,
    root,
    prefix,
    decorateReply: false,
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    cacheControl: false,
    // The build compresses each file once (scripts/client-build.ts).
    preCompressed: true,
    allowedPath: (path) => servedExtensions.has(extname(path)),
    setHeaders: (reply, file) => {
      const name = file.replace(/\.(br|gz)$/, '')
      const path = prefix + name.slice(root.length + 1).replaceAll('\\', '/')
      reply.header('cache-control', getCacheControl(path))
      if (path === workerPath) reply.header('content-type', 'text/javascript; charset=utf-8')
    },
  })
}

/** Returns true if the user opens a page of the client, and false for requests of missing scripts or images. */
export function isNavigation(request: FastifyRequest, path: string): boolean {
  if (!path.startsWith('/saas/') || path.startsWith(assetsPath)) return false
  const lastSegment = path.slice(path.lastIndexOf('/') + 1)
  return !lastSegment.includes('.') && acceptsHtml(request.headers)
}

/** Returns true for browsers that open a page, and for programs that accept any type, such as curl or an uptime check. */
export function acceptsHtml({ accept, ...headers }: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined && mode !== 'navigate') return false
  return accept === undefined || /(?:^|,)\s*(?:text\/html|text\/\*|\*\/\*)\s*(?:;|,|$)/i.test(accept)
}

export async function sendShell({ settings }: HttpContext, reply: FastifyReply): Promise<FastifyReply> {
  const file = join(settings.dist, 'index.html')
  if (!existsSync(file)) throw createNotFoundProblem()
  return reply
    .header('cache-control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(await readFile(file))
}

/** Types of the files with a hash in their name. */
const contentTypes: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/**
 * Sends a file of a client build that is not in this server's own folder: pages of an earlier build, and during a rolling upgrade pages of a
 * newer one, load their code from any node. Returns null if no build has this file. Throws UNAVAILABLE if the database or the file store
 * cannot be read.
 */
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
