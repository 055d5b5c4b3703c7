import { DatabaseSync } from 'node:sqlite'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { createSchema } from '#demo/sample-instance/storage/sqlite-store.ts'

/** Throws HostingError `bad_data` if a table of this program has other columns. Missing tables are created when the data is opened. */
export function requireSampleColumns(path: string): void {
  const [sample, draft] = [new DatabaseSync(':memory:'), new DatabaseSync(path, { readOnly: true })]
  try {
    createSchema(sample)
    for (const { name } of sample.prepare("select name from sqlite_schema where type = 'table'").all()) {
      const isMissing = draft.prepare('select 1 from sqlite_schema where name = ?').get(String(name)) === undefined
      if (!isMissing && listColumns(sample, String(name)) !== listColumns(draft, String(name)))
        throw new HostingError('bad_data', `the table ${String(name)} does not have the columns of this program`)
    }
  } finally {
    sample.close()
    draft.close()
  }
}

const listColumns = (database: DatabaseSync, table: string): string =>
  JSON.stringify(
    database
      .prepare('select lower(name), upper(type), "notnull", pk from pragma_table_xinfo(?) order by name')
      .all(table),
  )
