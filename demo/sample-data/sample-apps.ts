import { readFileSync } from 'node:fs'
import { type AppFacts, packMapp } from '#server/use-cases/catalogue/pack-mapp.ts'

export interface SampleApp {
  facts: AppFacts
  changeLog: string
}

const batches = { key: 'batches', name: 'Batch numbers', type: 'boolean', default: false } as const
const digits = { key: 'digits', name: 'Digits of a barcode', type: 'int', default: 13 } as const
const provider = 'm18'
const noRequirements = { min_version_required: null, flags: [], requires: [] }
const framework = {
  ...noRequirements,
  provider,
  code: 'framework',
  name: 'Framework',
  module: 'base',
  module_name: 'Platform',
}
const barcode = {
  ...noRequirements,
  provider,
  code: 'barcode',
  name: 'Barcodes',
  module: 'stocktake',
  module_name: 'Stock taking',
}
const labels = {
  ...noRequirements,
  provider,
  code: 'labels',
  name: 'Labels',
  module: 'stocktake',
  module_name: 'Stock taking',
}

/** Packages of published apps, sorted by release date. */
export const publishedSamples: readonly SampleApp[] = [
  {
    facts: { ...framework, version: '1.9', release_date: '2025-03-03' },
    changeLog:
      '# Framework 1.9\n\n- Forms remember the widths of their columns.\n- Lists of 10,000 rows open twice as fast.\n',
  },
  {
    facts: { ...barcode, version: '2.0', release_date: '2025-03-03', flags: [digits] },
    changeLog:
      '# Barcodes 2.0\n\nBarcodes are read by the camera of a phone as well.\n\n| Kind | Digits |\n|---|---|\n| EAN-8 | 8 |\n| EAN-13 | 13 |\n',
  },
  {
    facts: {
      ...barcode,
      version: '2.1',
      min_version_required: '2.0',
      release_date: '2025-10-13',
      flags: [digits, batches],
      requires: [{ code: 'framework', version: '1.9' }],
    },
    changeLog:
      '# Barcodes 2.1\n\n## New\n\n- **Batch numbers** can be read from a barcode (GS1-128).\n\n## Mended\n\n- Two scanners at one till no longer wait for each other.\n',
  },
  {
    facts: { ...framework, version: '1.10', min_version_required: '1.8', release_date: '2026-02-02' },
    changeLog: '# Framework 1.10\n\n- 支持暗色主题。\n- Dates follow the time zone of the company.\n',
  },
]

/** One package for each upload status of the demo (D79). */
export const uploadSamples: readonly SampleApp[] = [
  {
    facts: { ...labels, version: '1.0', release_date: '2026-04-07', requires: [{ code: 'barcode', version: '2.1' }] },
    changeLog: '# Labels 1.0\n\nPrints labels for shelves and boxes.\n\n```\nA4, 3 x 8 labels, 70 x 37 mm\n```\n',
  },
  {
    facts: { ...framework, version: '1.11', min_version_required: '1.9', release_date: '2026-05-04' },
    changeLog: '# Framework 1.11\n\n- Files can be dropped on a list.\n',
  },
  publishedSamples[2] as SampleApp,
  {
    facts: {
      ...barcode,
      version: '3.0',
      min_version_required: '2.5',
      release_date: '2026-06-01',
      flags: [digits, batches],
    },
    changeLog: '# Barcodes 3.0\n\nUpgrades from 2.5 on.\n',
  },
]

export function packSample({ facts, changeLog }: SampleApp): Promise<Buffer> {
  const icon = readFileSync(new URL(`./app-icons/${facts.code}.png`, import.meta.url))
  const forms = `${JSON.stringify({ forms: [{ code: facts.code, title: facts.name }] }, null, 2)}\n`
  const files: [string, Uint8Array][] = [
    ['icon.png', icon],
    ['changelog.md', Buffer.from(changeLog)],
    ['data/forms.json', Buffer.from(forms)],
  ]
  return packMapp(facts, new Map(files))
}

export const getSampleFileName = ({ facts }: SampleApp): string => `${facts.code}-${facts.version}.mapp`
