import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { createServer } from 'vite'

const root = join(import.meta.dirname, '..', '..', '..')

/** Serves one part of the screen by itself, straight from its source, to be tried in a real browser. */
export async function openStage(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = await createServer({
    configFile: false,
    root: import.meta.dirname,
    cacheDir: join(root, 'node_modules', '.cache', 'stage'),
    logLevel: 'error',
    plugins: [react()],
    // Named here, or the first visit would find them one by one and reload the page under the test's hands.
    optimizeDeps: {
      include: [
        'react',
        'react/jsx-dev-runtime',
        'react-dom',
        'react-dom/client',
        'react-router-dom',
        'primereact/api',
        'primereact/dialog',
      ],
    },
    server: { host: '127.0.0.1', port: 0, fs: { allow: [root] } },
  })
  await server.listen()
  const address = server.httpServer?.address()
  if (!address || typeof address === 'string') throw new Error('the stage does not listen')
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() }
}
