/**
 * Runs server and client with hot reload on the same data folder as `npm start`: the server restarts when its sources change; Vite serves
 * the client and forwards /api, /public and /health. If one of them stops, the other stops too.
 *
 * npm run dev, then open http://localhost:5173/saas/
 */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeSite } from './site.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')

/** Folders that are watched in addition to what main.ts imports: texts and migrations are read at run time. */
const watched = ['server', 'demo', 'src/domain', 'src/contract', 'src/locales'].map(
  (folder) => `--watch-path=${folder}`,
)

await writeSite()

const halves = [
  spawn(process.execPath, [...watched, '--watch-preserve-output', 'main.ts'], { cwd: root, stdio: 'inherit' }),
  spawn(process.execPath, [vite], { cwd: root, stdio: 'inherit' }),
]

function stop() {
  for (const half of halves) half.kill('SIGTERM')
}

// Ctrl-C reaches both processes directly. This process only waits, so that the database closes cleanly.
process.on('SIGINT', () => {})
process.on('SIGTERM', stop)
for (const half of halves) half.on('exit', stop)
