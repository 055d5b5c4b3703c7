/** Serves one script of the bench to a browser, built with the portal's own code. The bench can add its own responses. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')

/** Returns true if it has sent a response. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => boolean

/** `script`: path below `bench`. */
export async function servePage(
  outDir: string,
  script: string,
  handleOwn: RequestHandler = () => false,
): Promise<{ port: number; stop: () => Promise<void> }> {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    define: { __BUILD__: '"bench"' },
    build: {
      outDir,
      target: 'es2023',
      modulePreload: false,
      rollupOptions: {
        input: join(root, 'bench', script),
        output: { entryFileNames: 'page.js', chunkFileNames: '[name].js' },
      },
    },
  })
  const handleRequest = async (request: IncomingMessage, response: ServerResponse) => {
    if (handleOwn(request, response)) return
    const name = new URL(request.url ?? '/', 'http://bench').pathname.slice(1)
    if (name === '')
      return response.setHeader('content-type', 'text/html').end('<script type="module" src="page.js"></script>')
    const text = await readFile(join(outDir, name)).catch(() => null)
    if (text === null) return response.writeHead(404).end()
    return response.setHeader('content-type', 'text/javascript').end(text)
  }
  const server = createServer((request, response) => void handleRequest(request, response)).listen(0, '127.0.0.1')
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
