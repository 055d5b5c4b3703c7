/**
 * Starts the portal once on an empty embedded database and stops it. Runs while the image is built: it proves that the image is complete,
 * and the portal stores its compiled code, which it cannot do later on a read-only file system. Exits with code 1 if the start fails.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = mkdtempSync(join(tmpdir(), 'warm-up-'))
const settings = { DATA_DIR: folder, HOST: '127.0.0.1', HOSTING: 'off', DEMO: '0' }
const program = join(dirname(dirname(fileURLToPath(import.meta.url))), 'main.ts')
const portal = spawn(process.execPath, [program, 'serve'], {
  env: { ...process.env, ...settings },
  stdio: ['ignore', 'pipe', 'inherit'],
})

let hasStarted = false
let output = ''
const deadline = setTimeout(() => portal.kill('SIGKILL'), 180_000)
portal.stdout.setEncoding('utf8').on('data', (text) => {
  output += text
  if (hasStarted || !output.includes('The portal is running')) return
  hasStarted = true
  portal.kill('SIGTERM')
})
portal.on('close', (code) => {
  clearTimeout(deadline)
  rmSync(folder, { recursive: true, force: true })
  if (hasStarted && code === 0) return
  console.error(`${output}\nThe portal did not start and stop as it should: exit code ${code}.`)
  process.exitCode = 1
})
