import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readJsonFile, writeFileAtomically } from '#server/drivers/hosting/atomic-file.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..')

describe('writeFileAtomically', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atomic-file-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('replaces a file', () => {
    const path = join(folder, 'record.json')
    for (const number of [1, 2]) writeFileAtomically(path, JSON.stringify({ number }))
    expect(readJsonFile(path)).toEqual({ number: 2 })
    expect(readdirSync(folder)).toEqual(['record.json'])
  })

  it.skipIf(process.platform === 'win32')('throws and keeps the old file if only a part can be written', () => {
    const path = join(folder, 'record.json')
    writeFileAtomically(path, '{"number":1}')
    const script = `
      import { writeFileAtomically } from '${root}/server/drivers/hosting/atomic-file.ts'
      writeFileAtomically('${path}', JSON.stringify({ text: 'x'.repeat(50000) }))`
    // The limit of the file size lets the system write only a part of the file, as on a nearly full disk.
    const command = `trap '' XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1"`
    const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath, script], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('EFBIG')])
    expect(readJsonFile(path)).toEqual({ number: 1 })
  })
})
