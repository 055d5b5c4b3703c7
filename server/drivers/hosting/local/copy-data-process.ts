/**
 * Copies the data to standard output. Runs as the instance's user, because that user can create links in the folder that lead anywhere.
 * Writes code and message of an error to standard error.
 */
import '#server/config/private-files.ts'
import { createReadStream, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { backup, DatabaseSync } from 'node:sqlite'

const busyMs = 5000
/** Number of pages per step: all of them, because a copy in several steps restarts after each write in between. */
const pagesPerStep = 2 ** 31 - 1
const staleMs = 3_600_000
const [, , folder = ''] = process.argv
const copyPath = join(folder, `.copy-${process.pid}.db`)

try {
  removeStaleCopies()
  const store = new DatabaseSync(join(folder, 'instance.db'), { readOnly: true, timeout: busyMs })
  await backup(store, copyPath, { rate: pagesPerStep })
  store.close()
  const file = openSync(copyPath, 'r')
  rmSync(copyPath)
  await pipeline(createReadStream(copyPath, { fd: file }), process.stdout)
} catch (error) {
  rmSync(copyPath, { force: true })
  const { errcode = '', message } = error as Error & { errcode?: number }
  process.stderr.write(`${errcode} ${message}`)
  process.exitCode = 1
}

/** Removes the files of interrupted copies. */
function removeStaleCopies(): void {
  for (const name of readdirSync(folder)) {
    if (!/^\.copy-\d+\.db/.test(name)) continue
    const path = join(folder, name)
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > staleMs) rmSync(path, { force: true })
  }
}
