/**
 * vitest's global set-up of the browser tests: one data folder with the demo world, made by a server of this run, which
 * every portal of a test starts on a copy of. To migrate and fill one anew takes four times as long as to open it.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPortal } from '#tests/support/browser.ts'

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Another project of this run has made it.
  if (process.env.DEMO_DATA) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'portal-demo-'))
  const portal = await startPortal()
  try {
    // Stopped as people stop it, so that the files are whole and nobody holds its lock.
    await portal.stop()
    await cp(portal.dataDir, folder, { recursive: true })
  } finally {
    await portal.close()
  }
  // Workers are started with what stands here then.
  process.env.DEMO_DATA = folder
  return () => rm(folder, { recursive: true, force: true })
}
