/** Serves the client under /saas/ and the public pages at /: known file types only (S-79, S-87, H-03, H-04). */
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { existsSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { workerPath } from '#server/http/security-headers.ts'
import type { HttpContext } from '#server/http/http-context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'

/** Path of the files with a hash in their name. */
export const assetsPath = '/saas/assets/'
export const immutableCacheControl = 'public, max-age=31536000, immutable'

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
const getQuery = (url: string) => /\?.*$/.exec(url)?.[0] ?? ''

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
