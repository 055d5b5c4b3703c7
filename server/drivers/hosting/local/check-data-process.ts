/** Checks the integrity of a SQLite file, in a separate process. Writes `ok` or the first error to standard output. */
import '#server/config/private-files.ts'
import { DatabaseSync } from 'node:sqlite'

const [, , path = ''] = process.argv
const store = new DatabaseSync(path, { readOnly: true, defensive: true })
store.exec('pragma trusted_schema = off')
const [integrityRow] = store.prepare('pragma integrity_check(1)').all()
const [brokenReference] = store.prepare('pragma foreign_key_check').all()
const integrity = String(integrityRow?.integrity_check)
process.stdout.write(brokenReference ? `a row of ${String(brokenReference.table)} references a missing row` : integrity)
