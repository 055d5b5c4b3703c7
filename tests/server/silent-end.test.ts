/** A server ends when it is asked to, though nobody reads any more what it logs while it ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { postgresBin, startCluster } from '#tests/support/postgres.ts'
import { startProcess } from '#tests/support/process.ts'

const bin = postgresBin()

it.skipIf(bin === null)(
  'ends in its time when its database is gone, and whoever read its log too (R-15)',
  async () => {
    const cluster = await startCluster(bin ?? '')
    const folder = mkdtempSync(join(tmpdir(), 'portal-silent-'))
    const running = startProcess({ DATA_DIR: folder, DATABASE_URL: `${cluster.url}/postgres`, DEMO: '1' })
    try {
      await running.ready
      running.child.stdout?.destroy()
      running.child.stderr?.destroy()
      const ended = new Promise((done) => running.child.once('exit', (code, signal) => done([code, signal])))
      const gone = cluster.stop()
      running.child.kill('SIGTERM')
      await gone
      const late = new Promise((done) => setTimeout(done, 15_000, 'still there'))
      expect(await Promise.race([ended, late])).toEqual([expect.any(Number), null])
    } finally {
      running.child.kill('SIGKILL')
      await cluster.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  90_000,
)
