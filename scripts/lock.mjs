/**
 * Allows one preparation of this folder at a time: `npm start` and `npm test` in two terminals would otherwise both install, and npm begins
 * by deleting the packages that the other has just started from. Plain JavaScript for Node 18.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Printed without a stack, because its message is for the user. */
export class SetupError extends Error {}

/** Returns a folder outside the project, because npm empties node_modules, and the lock must change nothing else in the project. */
function lockFolder(root) {
  const name = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 12)
  return join(tmpdir(), `portal-ensure-${name}`)
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM means that the process belongs to another user. It is alive, but must not be signalled.
    return error.code === 'EPERM'
  }
}

/** Creating a folder is atomic: only one of two processes succeeds. */
function take(folder) {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
  writeFileSync(join(folder, 'pid'), String(process.pid))
  return true
}

function holder(folder) {
  try {
    return Number(readFileSync(join(folder, 'pid'), 'utf8'))
  } catch {
    return 0
  }
}

/** Runs `work` while no other process prepares the same folder. Waits for one that does. */
export async function runExclusively(root, log, work) {
  const folder = lockFolder(root)
  let isNotified = false
  let emptySince = 0
  while (!take(folder)) {
    const pid = holder(folder)
    // The folder is created just before its pid is written, so an empty one is considered stale only after a while.
    emptySince = pid === 0 ? emptySince || Date.now() : 0
    const isStale = pid === 0 ? Date.now() - emptySince > 3000 : !isAlive(pid)
    if (isStale) {
      rmSync(folder, { recursive: true, force: true })
      continue
    }
    if (!isNotified) log('Another command is preparing this folder; waiting for it ...')
    isNotified = true
    await pause(300)
  }
  const release = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', release)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
  try {
    return await work()
  } finally {
    release()
  }
}
