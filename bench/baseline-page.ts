/** Builds the baseline page into a folder and serves it like a well-configured server: compressed once, with assets cached as immutable. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const sourceFolder = join(import.meta.dirname, 'baseline-page')
const typesByExtension: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '': 'application/json',
}

const rows = {
  count: 62,
  data: Array.from({ length: 10 }, (_, n) => ({
    id: n,
    name: `User ${n}`,
    email: `user${n}@acme.example`,
    status: 'activated',
  })),
}

interface StaticFile {
  type: string
  bytes: Buffer
  cache: string
}

export async function startBaselinePage(): Promise<{ port: number; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-floor-'))
  await build({
    root: sourceFolder,
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    build: { outDir: folder, emptyOutDir: true, modulePreload: { polyfill: false } },
  })
  const assets = (await readdir(join(folder, 'assets'))).map((name) => `/assets/${name}`)
  const files = new Map<string, StaticFile>()
  const add = (path: string, text: string | Buffer, cache = 'no-cache') =>
    files.set(path, {
      type: typesByExtension[extname(path) || (path === '/' ? '.html' : '')] ?? 'text/plain',
      bytes: gzipSync(text, { level: 9 }),
      cache,
    })
  for (const path of assets) add(path, await readFile(join(folder, path)), 'public, max-age=31536000, immutable')
  add('/', await readFile(join(folder, 'index.html')))
  add('/rows', JSON.stringify(rows), 'no-store')
  add('/sw.js', `self.assets = ${JSON.stringify(assets)}\n${await readFile(join(sourceFolder, 'sw.js'), 'utf8')}`)
  await rm(folder, { recursive: true, force: true })

  const server = createServer((request, response) => {
    const file = files.get(new URL(request.url ?? '/', 'http://floor').pathname)
    if (!file) return response.writeHead(404).end()
    response.writeHead(200, {
      'content-type': file.type,
      'content-encoding': 'gzip',
      'content-length': file.bytes.length,
      'cache-control': file.cache,
    })
    return response.end(file.bytes)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the listening socket has no port')
  return {
    port: address.port,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
