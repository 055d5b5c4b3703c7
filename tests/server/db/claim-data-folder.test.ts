import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { claimDataFolder } from '#server/db/embedded/data-folder.ts'

it.skipIf(process.platform === 'win32')(
  'claimDataFolder ignores a file that is listed but no longer exists',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'data-folder-'))
    try {
      writeFileSync(join(folder, 'portal.json'), '{"portal":1}\n')
      // Listed, but `stat` fails with ENOENT, like a file that is deleted meanwhile.
      symlinkSync(join(folder, 'deleted'), join(folder, 'audit-checkpoints.json.lock'))
      const lock = await claimDataFolder(folder)
      await lock.release()
      expect(lock).toBeTruthy()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
