/** The demo world's apps: those that its modules name, in the versions that were published over the years. */
import type { Requirement } from '#domain/apps.ts'
import type { PlainDate } from '#domain/time.ts'
import { insertVersion } from '#server/db/catalogue/apps.ts'
import type { Handle } from '#server/db/handle.ts'
import type { AppFlag } from '#server/db/tables/order-tables.ts'

interface DemoVersion {
  code: string
  name: string
  module: string
  version: string
  since: string | null
  released: PlainDate
  flags?: AppFlag[]
  requires?: Requirement[]
}

const batches: AppFlag = { key: 'batches', name: 'Batch numbers', type: 'boolean', default: false }
const digits: AppFlag = { key: 'digits', name: 'Digits of a barcode', type: 'int', default: 13 }
const framework = { code: 'framework', name: 'Framework', module: 'base' }
const barcode = { code: 'barcode', name: 'Barcodes', module: 'stocktake' }

const published: DemoVersion[] = [
  { ...framework, version: '1.9', since: null, released: '2025-03-03' },
  { ...barcode, version: '2.0', since: null, released: '2025-03-03', flags: [digits] },
  {
    ...barcode,
    version: '2.1',
    since: '2.0',
    released: '2025-10-13',
    flags: [digits, batches],
    requires: [{ code: 'framework', version: '1.9' }],
  },
  { ...framework, version: '1.10', since: '1.8', released: '2026-02-02' },
]

/** As the system. */
export async function loadApps(db: Handle): Promise<void> {
  for (const { since, released, flags = [], requires = [], ...app } of published)
    await insertVersion(db, {
      ...app,
      provider: 'm18',
      min_version_required: since,
      release_date: released,
      flags: JSON.stringify(flags),
      requires: JSON.stringify(requires),
      icon: null,
      markdown: null,
      create_time: Date.parse(`${released}T02:00:00Z`),
    })
}
