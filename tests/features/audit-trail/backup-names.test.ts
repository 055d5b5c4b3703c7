import { describe, expect, it } from 'vitest'
import { findInfoKey, findValueKey } from '#features/audit-trail/find-entry-key.ts'
import { backupTypes } from '#contract/backups.ts'
import en from '#locales/en/audit.json'
import zh from '#locales/zh/audit.json'

const entry = { code: 'backup' } as const

describe('audit entries about backups', () => {
  it.each(['Month', 'BackupType', 'BackupId', 'FromService', 'IntoService'])(
    'have a translated name for the field %s',
    (key) => {
      const textKey = findInfoKey(key)
      expect(textKey).toBeDefined()
      if (textKey) expect(zh.info[textKey]).not.toBe(en.info[textKey])
    },
  )

  it('have translated types and statuses', () => {
    for (const type of backupTypes) {
      expect(findValueKey('BackupType', type, entry)).toBe(`BackupType.${type}`)
      expect(findValueKey('pdb_type', type, entry)).toBe(`pdb_type.${type}`)
    }
    for (const status of ['unpaid', 'invalid', 'paid', 'effective'])
      expect(findValueKey('status', status, entry)).toBe(`backup.${status}`)
  })
})
