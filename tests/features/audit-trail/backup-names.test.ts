/** Entries about backups are told in the reader's language: what they name and the values that they have. */
import { describe, expect, it } from 'vitest'
import { nameOf, valueName } from '#features/audit-trail/entry-names.ts'
import { backupTypes } from '#contract/backups.ts'
import en from '#locales/en/audit.json'
import zh from '#locales/zh/audit.json'

const entry = { code: 'backup' } as const

describe('entries about backups', () => {
  it.each(['Month', 'BackupType', 'BackupId', 'FromService', 'IntoService'])('name %s', (key) => {
    const known = nameOf('info', key)
    expect(known).toBeDefined()
    if (known) expect(zh.info[known]).not.toBe(en.info[known])
  })

  it('name their kinds and how they stand', () => {
    for (const type of backupTypes) {
      expect(valueName('BackupType', type, entry)).toBe(`BackupType.${type}`)
      expect(valueName('pdb_type', type, entry)).toBe(`pdb_type.${type}`)
    }
    for (const status of ['unpaid', 'invalid', 'paid', 'effective'])
      expect(valueName('status', status, entry)).toBe(`backup.${status}`)
  })
})
